import { Registry } from '../../shared/run/registry';
import { transcribe } from './audio/transcribe';
import { read } from './document/read';
import { analyze } from './image/analyze';
import { get } from './model/get';
import { getMany } from './model/getMany';
import { generate } from './text/generate';
import { analyze as analyzeVideo } from './video/analyze';

export const registry = new Registry({
	text: { displayName: 'Text', isFirst: true, operations: { generate } },
	image: { displayName: 'Image', operations: { analyze } },
	audio: { displayName: 'Audio', operations: { transcribe } },
	video: { displayName: 'Video', operations: { analyze: analyzeVideo } },
	document: { displayName: 'Document', operations: { read } },
	model: { displayName: 'Model', operations: { getMany, get } },
});
