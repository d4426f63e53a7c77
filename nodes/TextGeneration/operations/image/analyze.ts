import { definePreset } from '../text/preset';

/** Asks a model about an image (§4.2 `image_url`). */
export const analyze = definePreset({
	displayName: 'Analyze',
	action: 'Analyze image',
	description:
		'Describe an image, read its text or answer a question about it, from a binary field or a URL: returns the text and the cost',
	kind: 'image',
	searchModels: 'searchImageReaders',
	exampleUrl: 'https://example.com/photo.jpg',
	prompt: 'Describe this image',
	promptHint: 'What you want to know about the image',
});
