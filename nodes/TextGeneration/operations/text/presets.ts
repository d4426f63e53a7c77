import { outputParameters, schemaStrict } from '../../../shared/fields/outputFormat';
import { simplify } from '../../../shared/fields/results';
import { textOptions } from '../../../shared/fields/textOptions';
import { textModel } from '../../../shared/fields/textRequest';
import { textFormats } from '../../../shared/gateway/text/formats';
import type { AttachmentKind } from '../../../shared/gateway/text/formats/request';
import { extensionOf, kindOfType, type FileKind } from '../../../shared/gateway/util/fileType';
import { EMPTY_HINT, text } from '../../../shared/params/kinds';
import { Location, type Values } from '../../../shared/params/parameter';
import { defineOperation, type ItemInput, type Operation } from '../../../shared/run/operation';
import type { AttachmentRow } from './attachments';
import { sourceFields } from './conversationFields';
import { sharedOptions } from './fields';
import { generateText, planText } from './generateText';
import { prepare, type PreparedText } from './parameters';
import { misfitHints } from './results';

// Operations that ask a model about files. They are text: generate with fewer parameters.

interface Preset extends Pick<Operation, 'displayName' | 'action' | 'description' | 'toolDescription'> {
	kind: AttachmentKind;
	/** What its files may be, if their types are known. */
	takes: readonly KnownKind[];
	exampleUrl: string;
	prompt: string;
	promptHint: string;
}

/** The format that has a part for each kind of file (§4.2). */
const [format] = textFormats;

const options = {
	maxTokens: textOptions.maxTokens,
	...sharedOptions,
	schemaStrict,
};

function definePreset(preset: Preset): Operation {
	return defineOperation({
		...preset,
		parameters: parametersOf(preset),
		options,
		plan: async (item) => planText(item, await read(item, preset)),
		execute: generateText,
		hintsOf: misfitHints,
	});
}

function parametersOf({ exampleUrl, prompt, promptHint }: Preset) {
	return {
		model: textModel,
		source: sourceFields.source.with({
			description: 'Where the files are. A tool of an AI Agent gets no files: use a URL there.',
		}),
		binaryPropertyName: sourceFields.binaryPropertyName,
		url: sourceFields.url.with({ placeholder: `e.g. ${exampleUrl}` }),
		prompt: text({
			displayName: 'Prompt',
			rows: 3,
			default: prompt,
			required: true,
			description: promptHint,
			whenEmpty: `Enter what the model does with the files, such as: ${prompt}`,
		}),
		...outputParameters,
		simplify,
	};
}

type Params = Values<ReturnType<typeof parametersOf>> & { readonly options: Values<typeof options> };

async function read(item: ItemInput<Params>, preset: Preset): Promise<PreparedText> {
	const { params } = item;
	const name = params.url ? 'url' : 'binaryPropertyName';
	const { label } = sourceFields[name];
	const sources = params.url ?? params.binaryPropertyName ?? [];
	if (sources.length === 0) throw new Location(name, `'${label}'`).error('is empty', EMPTY_HINT);
	const attachments = sources.map((source, index, { length }) => {
		const subject = `'${label}'${length > 1 ? `, file ${index + 1}` : ''}:`;
		const at = new Location(name, subject);
		const kindOf: AttachmentRow['kindOf'] = (file) => partKind(preset, at, file);
		return { kind: preset.kind, message: 0, source, at, kindOf };
	});
	const messages = [{ role: 'user' as const, text: params.prompt }];
	return await prepare(item, format, { kind: 'messages', messages }, attachments);
}

type KnownKind = FileKind | 'other';

/** What to do with files of each kind, by the names in n8n's list of actions. */
const FITTING: Readonly<Record<KnownKind, string>> = {
	image: "Use the operation 'Analyze image'.",
	audio: "Use the operation 'Transcribe audio'.",
	video: "Use the operation 'Analyze video'.",
	pdf: "Use the operation 'Read document'.",
	text: "Use the operation 'Read document'.",
	other:
		"Use the operation 'Read document' for documents. Extract the files of an archive before, with n8n's Compression node.",
};

/** The kind of part for a file. @throws {InvalidInputError} for one that another operation takes */
function partKind(
	{ action, kind, takes }: Preset,
	at: Location,
	{ mimeType, fileName }: { mimeType: string; fileName: string },
): AttachmentKind {
	const found = kindOfType(mimeType) ?? (extensionOf(mimeType) === undefined ? undefined : 'other');
	if (found === undefined || takes.includes(found))
		return kind === 'file' && found === 'image' ? 'image' : kind;
	throw at.error(`'${action}' takes no file of the type ${mimeType}, such as "${fileName}"`, FITTING[found]);
}

export const transcribeAudio = definePreset({
	displayName: 'Transcribe',
	action: 'Transcribe audio',
	description:
		'Turn speech into text, from recordings in binary fields or at URLs: returns the text and the cost',
	toolDescription:
		'Turns the speech in the recording at a URL (separate several with commas) into text. Returns the text and the cost in rubles.',
	kind: 'audio',
	// Also a film has sound.
	takes: ['audio', 'video'],
	exampleUrl: 'https://example.com/recording.mp3',
	prompt: 'Transcribe this audio. Return only the text.',
	promptHint: 'What to do with the recording, e.g. transcribe, translate or summarize it',
});

export const readDocument = definePreset({
	displayName: 'Read',
	action: 'Read document',
	description:
		'Extract the text of documents such as PDFs, or the data in them, from binary fields or URLs: returns the text and the cost',
	toolDescription:
		'Extracts the text of the document at a URL (separate several with commas), such as a PDF, or answers a question about it. Returns the text and the cost in rubles.',
	kind: 'file',
	takes: ['text', 'pdf', 'image', 'other'],
	exampleUrl: 'https://example.com/invoice.pdf',
	prompt: 'Extract the text of this document. Return only the text.',
	promptHint: "What to get from the document. For data of an invoice or a form, set 'Output Format' to JSON.",
});

export const analyzeImage = definePreset({
	displayName: 'Analyze',
	action: 'Analyze image',
	description:
		'Describe images, read their text or answer a question about them, from binary fields or URLs: returns the text and the cost',
	toolDescription:
		'Looks at the image at a URL (separate several with commas) and describes it, reads its text or answers a question about it. Returns the text and the cost in rubles.',
	kind: 'image',
	takes: ['image'],
	exampleUrl: 'https://example.com/photo.jpg',
	prompt: 'Describe this image',
	promptHint: 'What you want to know about the image',
});

export const analyzeVideo = definePreset({
	displayName: 'Analyze',
	action: 'Analyze video',
	description:
		'Describe what happens in videos or answer a question about them, from binary fields or URLs: returns the text and the cost',
	toolDescription:
		'Watches the video at a URL (separate several with commas) and describes what happens or answers a question. Returns the text and the cost in rubles.',
	kind: 'video',
	takes: ['video'],
	exampleUrl: 'https://example.com/clip.mp4',
	prompt: 'Describe what happens in this video',
	promptHint: 'What you want to know about the video',
});
