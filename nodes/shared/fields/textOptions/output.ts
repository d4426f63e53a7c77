import type { INodeProperties } from 'n8n-workflow';

/** What the answer consists of, and which tools take part in it. */
export const output: INodeProperties[] = [
	{
		displayName: 'Verbosity',
		name: 'verbosity',
		type: 'options',
		options: [
			{ name: 'Low', value: 'low' },
			{ name: 'Medium', value: 'medium' },
			{ name: 'High', value: 'high' },
		],
		default: 'low',
		description: 'How much the model says',
	},
	{
		displayName: 'Modalities',
		name: 'modalities',
		type: 'multiOptions',
		options: [
			{ name: 'Audio', value: 'audio' },
			{ name: 'Image', value: 'image' },
			{ name: 'Text', value: 'text' },
		],
		default: ['text'],
		description:
			'What the answer may consist of, where the model can. Audio and images become binary fields.',
	},
	{
		displayName: 'Audio Voice',
		name: 'audioVoice',
		type: 'string',
		default: '',
		placeholder: 'e.g. alloy',
		description: 'The voice of a spoken answer. Which voices there are depends on the model.',
	},
	{
		displayName: 'Audio Format',
		name: 'audioFormat',
		type: 'string',
		default: 'mp3',
		placeholder: 'e.g. mp3',
		description: 'The file format of a spoken answer',
	},
	{
		displayName: 'Image Quality',
		name: 'imageConfigQuality',
		type: 'string',
		default: '',
		placeholder: 'e.g. high',
		description: 'The quality of images in the answer. Which values there are depends on the model.',
	},
	{
		displayName: 'Image Size',
		name: 'imageConfigSize',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1024x1024',
		description: 'The size of images in the answer. Which values there are depends on the model.',
	},
	{
		displayName: 'Include',
		name: 'include',
		type: 'multiOptions',
		options: [
			{ name: 'Encrypted Reasoning', value: 'reasoning.encrypted_content' },
			{ name: 'Log Probabilities', value: 'message.output_text.logprobs' },
			{ name: 'Sources of Web Searches', value: 'web_search_call.action.sources' },
		],
		default: [],
		description: "What the answer is to contain besides the text. Turn 'Simplify' off to see all of it.",
	},
	{
		displayName: 'Web Search Context Size',
		name: 'webSearchContextSize',
		type: 'options',
		options: [
			{ name: 'Low', value: 'low' },
			{ name: 'Medium', value: 'medium' },
			{ name: 'High', value: 'high' },
		],
		default: 'medium',
		description: 'Lets the model search the web, where it can, and sets how much it reads there',
	},
	{
		displayName: 'Built-In Tools (JSON)',
		name: 'builtInTools',
		type: 'json',
		typeOptions: { rows: 3 },
		default: '[{ "type": "web_search" }]',
		description:
			'Tools that the gateway runs itself, as a list of objects of the type web_search, file_search, code_interpreter, image_generation, mcp, x_search …',
	},
	{
		displayName: 'Parallel Tool Calls',
		name: 'parallelToolCalls',
		type: 'boolean',
		default: true,
		description: 'Whether the model may ask for several tools at once',
	},
	{
		displayName: 'Max Tool Calls',
		name: 'maxToolCalls',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 5,
		description: 'How often built-in tools may be used for this answer. Limits what they can cost.',
	},
];
