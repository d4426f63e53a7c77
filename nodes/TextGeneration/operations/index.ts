import { Registry } from '../../shared/run/registry';
import { get, getMany } from './models';
import { generate } from './text/generateText';
import { analyzeImage, analyzeVideo, readDocument, transcribeAudio } from './text/presets';

export const registry = new Registry({
	text: { displayName: 'Text', operations: { generate } },
	document: { displayName: 'Document', operations: { read: readDocument } },
	image: { displayName: 'Image', operations: { analyze: analyzeImage } },
	audio: { displayName: 'Audio', operations: { transcribe: transcribeAudio } },
	video: { displayName: 'Video', operations: { analyze: analyzeVideo } },
	model: { displayName: 'Model', operations: { getMany, get } },
});
