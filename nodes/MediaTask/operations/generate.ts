import { modelParameter } from '../../shared/fields/models';
import { InvalidInputError } from '../../shared/gateway/errors/errors';
import type { MediaType } from '../../shared/gateway/media/price';
import { omit, someText } from '../../shared/gateway/util/json';
import type { Parameter } from '../../shared/params/parameter';
import type { Operation } from '../../shared/run/operation';
import { inputFiles } from './inputFiles';
import { promptParameter } from './input';
import type { PlannedTask } from './task/taskRequest';
import { createAndWaitFor } from './task/create';
import { MEDIA_NAMES } from './task/taskInput';

/** `task: createAndWait` for one kind of media, with a picker of its models. */
function generate(mediaType: MediaType, what: string, prompt: Parameter<string | undefined>): Operation {
	const name = MEDIA_NAMES[mediaType];
	const createAndWait = createAndWaitFor(mediaType);
	return {
		...createAndWait,
		displayName: 'Generate',
		action: `Generate ${what.replace(/^an? /, '')}`,
		description: `Generate ${what} from a text, wait for it, and retrieve the file`,
		toolDescription: `Generates ${what} from a description, and waits until it is done. Returns the URLs of the files and the price in rubles.`,
		parameters: {
			...createAndWait.parameters,
			model: modelParameter(
				`search${name}Models`,
				`vendor/${name.toLowerCase()}-model`,
				`The model that generates the ${what.replace(/^an? /, '')}. The list shows the price with the initial settings, and the lowest.`,
			),
			prompt,
		},
		// For workflows that do not wait, and for sessions, there is 'Task'.
		options: omit({ ...createAndWait.options }, 'callbackUrl', 'sessionId'),
	};
}

export const generateImage = generate(
	'image',
	'an image',
	promptParameter(
		'What the image shows, or what to change in an input file',
		'A lighthouse in a winter storm',
	),
);

/** A text that is the URL of an image, or a JSON list that has one. */
const IMAGE_URL = /(^|")\s*(https?:|data:)/i;

/** `image: generate` with files first, and a picker of the models that take one. */
export const editImage: Operation = {
	...generateImage,
	displayName: 'Edit',
	action: 'Edit image',
	description: 'Change an image as a text says, or combine several, wait for it, and retrieve the file',
	toolDescription:
		'Changes the image at a URL as described, and waits until it is done. Returns the URLs of the files and the price in rubles.',
	parameters: {
		model: modelParameter(
			'searchImageEditModels',
			'vendor/image-model',
			'The model that edits the image. The list begins with those that take one, and shows the price with the initial settings, and the lowest.',
		),
		inputFiles,
		...omit(generateImage.parameters, 'model', 'inputFiles'),
		prompt: promptParameter('What to change in the image', 'Make it a winter night'),
	},
	plan: (item) => {
		const planned = generateImage.plan?.(item) as { task: PlannedTask };
		const { entered, files } = planned.task;
		// Some models would make a new image without.
		if (files.length > 0 || someText(omit(entered.values, 'prompt'), IMAGE_URL)) return planned;
		throw new InvalidInputError(
			'There is no image to edit',
			"Add a row to 'Input Files', or enter the URL of an image in a field of the model. For base64 or an ID, use the operation 'Create and Wait'.",
			'inputFiles',
		);
	},
};

export const generateVideo = generate(
	'video',
	'a video',
	promptParameter('What happens in the video', 'Waves break over a lighthouse at dusk'),
);

export const generateMusic = generate(
	'music',
	'music',
	promptParameter(
		'What the music sounds like, or what the song is about',
		'A calm piano piece about the sea',
	),
);

export const generateSpeech = generate(
	'audio',
	'speech',
	promptParameter('The text to speak', 'Welcome aboard! We leave at nine.'),
);
