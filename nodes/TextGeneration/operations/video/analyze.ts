import { definePreset } from '../text/preset';

export const analyze = definePreset({
	displayName: 'Analyze',
	action: 'Analyze a video',
	description:
		'Describe what happens in videos or answer a question about them, from binary fields or URLs: returns the text and the cost',
	toolDescription:
		'Watches the video at a URL (separate several with commas) and describes what happens or answers a question. Returns the text and the cost in rubles.',
	kind: 'video',
	exampleUrl: 'https://example.com/clip.mp4',
	prompt: 'Describe what happens in this video',
	promptHint: 'What you want to know about the video',
});
