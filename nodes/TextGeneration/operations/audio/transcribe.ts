import { definePreset } from '../text/preset';

export const transcribe = definePreset({
	displayName: 'Transcribe',
	action: 'Transcribe audio',
	description:
		'Turn speech into text, from recordings in binary fields or at URLs: returns the text and the cost',
	toolDescription:
		'Turns the speech in the recording at a URL (separate several with commas) into text. Returns the text and the cost in rubles.',
	kind: 'audio',
	exampleUrl: 'https://example.com/recording.mp3',
	prompt: 'Transcribe this audio. Return only the text.',
	promptHint: 'What to do with the recording, e.g. transcribe, translate or summarize it',
});
