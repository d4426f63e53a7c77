import { modelParameter } from '../../shared/fields/models';
import type { Operation } from '../../shared/run/operation';
import { promptParameter } from './prompt';
import { createAndWait } from './task/createAndWait';

/** What differs between the operations that generate a file. */
interface Kind {
	/** What is made, with its article. */
	what: string;
	/** The node's list search for its models. */
	models: string;
	exampleModel: string;
	/** What the prompt says. */
	prompt: string;
	examplePrompt: string;
}

/** `task: createAndWait` for one kind of media, with a picker of its models. */
function generate({ what, models, exampleModel, prompt, examplePrompt }: Kind): Operation {
	return {
		...createAndWait,
		displayName: 'Generate',
		action: `Generate ${what}`,
		description: `Generate ${what} from a text, wait for it, and retrieve the file`,
		toolDescription: `Generates ${what} from a description, and waits until it is done. Returns the URLs of the files and the price in rubles.`,
		parameters: {
			...createAndWait.parameters,
			model: modelParameter(
				models,
				exampleModel,
				`The model that generates the ${what.replace(/^an? /, '')}. The list shows your price: with the model’s defaults, and the lowest.`,
			),
			prompt: promptParameter(prompt, examplePrompt),
		},
	};
}

export const generateImage = generate({
	what: 'an image',
	models: 'searchImageModels',
	exampleModel: 'vendor/image-model',
	prompt: 'What the image shows, or what to change in an input file',
	examplePrompt: 'A lighthouse in a winter storm',
});

export const generateVideo = generate({
	what: 'a video',
	models: 'searchVideoModels',
	exampleModel: 'vendor/video-model',
	prompt: 'What happens in the video',
	examplePrompt: 'Waves break over a lighthouse at dusk',
});

export const generateMusic = generate({
	what: 'music',
	models: 'searchMusicModels',
	exampleModel: 'vendor/music-model',
	prompt: 'What the music sounds like, or what the song is about',
	examplePrompt: 'A calm piano piece about the sea',
});

export const generateSpeech = generate({
	what: 'speech',
	models: 'searchSpeechModels',
	exampleModel: 'vendor/speech-model',
	prompt: 'The text to speak',
	examplePrompt: 'Welcome aboard! We leave at nine.',
});
