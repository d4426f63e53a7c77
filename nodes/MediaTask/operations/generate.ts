import { modelParameter } from '../../shared/fields/models';
import { InvalidInputError } from '../../shared/gateway/errors/errors';
import type { MediaType } from '../../shared/gateway/media/mediaModel';
import { asArray, asObject, omit } from '../../shared/gateway/util/json';
import type { ItemContext, Operation } from '../../shared/run/operation';
import { inputFiles } from './inputFiles';
import { promptParameter } from './prompt';
import { createAndWait } from './task/createAndWait';

/** What the panel calls the media types (§2.2). */
const NAMES = { image: 'Image', video: 'Video', music: 'Music', audio: 'Speech' } as const;

/** What differs between the operations that generate a file. */
interface Kind {
	/** The type of its models (§2.2). */
	mediaType: MediaType;
	/** What is made, with its article. */
	what: string;
	/** What the prompt says. */
	prompt: string;
	examplePrompt: string;
}

/** `task: createAndWait` for one kind of media, with a picker of its models. */
function generate({ mediaType, what, prompt, examplePrompt }: Kind): Operation {
	const name = NAMES[mediaType];
	return {
		...createAndWait,
		displayName: 'Generate',
		action: `Generate ${what}`,
		description: `Generate ${what} from a text, wait for it, and retrieve the file`,
		toolDescription: `Generates ${what} from a description, and waits until it is done. Returns the URLs of the files and the price in rubles.`,
		parameters: {
			...createAndWait.parameters,
			model: modelParameter(
				`search${name}Models`,
				`vendor/${name.toLowerCase()}-model`,
				`The model that generates the ${what.replace(/^an? /, '')}. The list shows your price for a task with the model’s defaults.`,
			),
			prompt: promptParameter(prompt, examplePrompt),
		},
		// For workflows that do not wait, and for sessions, there is 'Task'.
		options: omit(omit(omit({ ...createAndWait.options }, 'callbackUrl'), 'passThrough'), 'sessionId'),
		execute: async (item) => {
			await checkMediaType(item, String(item.params.model), mediaType);
			return await createAndWait.execute(item);
		},
	};
}

/**
 * Checks a model that is given by ID: one of another type may cost many times as much.
 *
 * @throws {InvalidInputError} if the catalogue can be read and says that the model is of another type
 */
async function checkMediaType({ run, client }: ItemContext, model: string, wanted: MediaType) {
	const { mediaType = wanted } = (await run.mediaModels.known(client, model)) ?? {};
	if (mediaType === wanted) return;
	throw new InvalidInputError(
		`The media type of the model "${model}" is ${NAMES[mediaType]}, not ${NAMES[wanted]}`,
		`Use it with '${NAMES[mediaType]}: Generate', or choose a model from the list.`,
		'model',
	);
}

export const generateImage = generate({
	mediaType: 'image',
	what: 'an image',
	prompt: 'What the image shows, or what to change in an input file',
	examplePrompt: 'A lighthouse in a winter storm',
});

/** `image: generate` with files first, and a picker of the models that take one. */
export const editImage: Operation = {
	...generateImage,
	displayName: 'Edit',
	action: 'Edit an image',
	description: 'Change an image as a text says, or combine several, wait for it, and retrieve the file',
	toolDescription:
		'Changes the image at a URL as described, and waits until it is done. Returns the URLs of the files and the price in rubles.',
	parameters: {
		model: modelParameter(
			'searchImageEditModels',
			'vendor/image-model',
			'The model that edits the image. The list shows models that take one, with your price for a task with the model’s defaults.',
		),
		inputFiles,
		...omit(omit({ ...generateImage.parameters }, 'model'), 'inputFiles'),
		prompt: promptParameter('What to change in the image', 'Make it a winter night'),
	},
	execute: async (item) => {
		checkImage(item);
		return await generateImage.execute(item);
	},
};

/** @throws {InvalidInputError} for an input without a file or URL, of which some models would make a new image */
function checkImage({ params }: ItemContext<Record<string, unknown>>): void {
	const input = [params.inputJson, asObject(params.input)?.value];
	if (asArray(params.inputFiles).length > 0 || /\b(https?:\/\/|data:)/i.test(JSON.stringify(input))) return;
	throw new InvalidInputError(
		'There is no image to edit',
		"Add a row to 'Input Files', or enter the URL of an image in the model’s field for it.",
		'inputFiles',
	);
}

export const generateVideo = generate({
	mediaType: 'video',
	what: 'a video',
	prompt: 'What happens in the video',
	examplePrompt: 'Waves break over a lighthouse at dusk',
});

export const generateMusic = generate({
	mediaType: 'music',
	what: 'music',
	prompt: 'What the music sounds like, or what the song is about',
	examplePrompt: 'A calm piano piece about the sea',
});

export const generateSpeech = generate({
	mediaType: 'audio',
	what: 'speech',
	prompt: 'The text to speak',
	examplePrompt: 'Welcome aboard! We leave at nine.',
});
