import { definePreset } from '../text/preset';

export const analyze = definePreset({
	displayName: 'Analyze',
	action: 'Analyze an image',
	description:
		'Describe images, read their text or answer a question about them, from binary fields or URLs: returns the text and the cost',
	toolDescription:
		'Looks at the image at a URL (separate several with commas) and describes it, reads its text or answers a question about it. Returns the text and the cost in rubles.',
	kind: 'image',
	exampleUrl: 'https://example.com/photo.jpg',
	prompt: 'Describe this image',
	promptHint: 'What you want to know about the image',
});
