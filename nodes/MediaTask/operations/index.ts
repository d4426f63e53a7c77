import { Registry } from '../../shared/run/registry';
import { getMany as getManyModels } from './model/getMany';
import { editImage, generateImage, generateMusic, generateSpeech, generateVideo } from './generate';
import { createSession } from './session/create';
import { create, createAndWait } from './task/create';
import { getFromExecution } from './task/executionTasks';
import {
	download,
	archive,
	deleteOperation,
	restore,
	unarchive,
	get,
	getLyrics,
	getMany,
	wait,
} from './task/existingTask';

export const registry = new Registry({
	image: { displayName: 'Image', operations: { generate: generateImage, edit: editImage } },
	video: { displayName: 'Video', operations: { generate: generateVideo } },
	music: { displayName: 'Music', operations: { generate: generateMusic } },
	speech: { displayName: 'Speech', operations: { generate: generateSpeech } },
	task: {
		displayName: 'Task',
		operations: {
			createAndWait,
			create,
			wait,
			getFromExecution,
			download,
			getLyrics,
			getMany,
			delete: deleteOperation,
			get,
			archive,
			unarchive,
			restore,
		},
	},
	model: { displayName: 'Model', operations: { getMany: getManyModels } },
	session: { displayName: 'Session', operations: { create: createSession } },
});
