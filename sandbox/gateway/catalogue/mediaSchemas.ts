/** The `input_schema` of each media model (§2.2); together they use the keywords of such schemas. */
import type { JsonSchema } from '../jsonSchema';

const seed: JsonSchema = {
	anyOf: [{ type: 'integer', minimum: 0, maximum: 2_147_483_647 }, { type: 'null' }],
	title: 'Seed',
	description: 'The same seed gives the same result; null takes a random one',
	default: null,
};

const imageUrl = (title: string, description: string): JsonSchema => ({
	type: 'string',
	format: 'uri',
	title,
	description,
});

export const canvas: JsonSchema = {
	type: 'object',
	title: 'Canvas input',
	properties: {
		prompt: {
			type: 'string',
			title: 'Prompt',
			description: 'What the image shows',
			minLength: 1,
			maxLength: 4000,
		},
		negative_prompt: { type: 'string', title: 'Negative Prompt', description: 'What it must not show' },
		size: {
			type: 'string',
			title: 'Size',
			description: 'Width and height in pixels',
			enum: ['512x512', '1024x1024', '1536x1024', '1024x1536'],
			default: '1024x1024',
		},
		quality: {
			type: 'string',
			title: 'Quality',
			enum: ['draft', 'standard', 'high'],
			default: 'standard',
		},
		num_images: {
			type: 'integer',
			title: 'Number of Images',
			description: 'All of them are included in the price',
			minimum: 1,
			maximum: 4,
			default: 1,
		},
		guidance: { type: 'number', title: 'Guidance', minimum: 0, maximum: 20, default: 7.5 },
		transparent: { type: 'boolean', title: 'Transparent Background', default: false },
		tags: {
			type: 'array',
			title: 'Tags',
			description: 'Style words',
			items: { type: 'string' },
			maxItems: 8,
		},
		watermark: {
			type: 'object',
			title: 'Watermark',
			properties: {
				text: { type: 'string', title: 'Text', maxLength: 40 },
				opacity: { type: 'number', title: 'Opacity', minimum: 0, maximum: 1, default: 0.5 },
			},
			required: ['text'],
			additionalProperties: false,
		},
		seed,
	},
	required: ['prompt'],
	additionalProperties: false,
};

export const retouch: JsonSchema = {
	type: 'object',
	title: 'Retouch input',
	properties: {
		prompt: { type: 'string', title: 'Prompt', description: 'What to change', minLength: 1, maxLength: 2000 },
		image_urls: {
			type: 'array',
			title: 'Images',
			description: 'URLs of the images to edit',
			items: imageUrl('Image', 'URL of an image'),
			minItems: 1,
			maxItems: 4,
		},
		mask_url: {
			anyOf: [imageUrl('Mask', 'White where the image may change'), { type: 'null' }],
			title: 'Mask',
			description: 'URL of a mask image',
			default: null,
		},
		strength: {
			type: 'string',
			title: 'Strength',
			enum: ['light', 'medium', 'strong'],
			default: 'medium',
		},
		output_format: { type: 'string', title: 'Output Format', enum: ['png'], default: 'png' },
		seed,
	},
	required: ['prompt', 'image_urls'],
	additionalProperties: false,
};

/** A union: each mode has fields of its own, and other values for those that both have. */
export const remix: JsonSchema = {
	title: 'Remix input',
	oneOf: [
		{
			type: 'object',
			properties: {
				mode: { const: 'draw', title: 'Mode' },
				prompt: { type: 'string', title: 'Prompt', minLength: 1 },
				size: { enum: ['512x512', '1024x1024'], title: 'Size' },
			},
			required: ['mode', 'prompt'],
			additionalProperties: false,
		},
		{
			type: 'object',
			properties: {
				mode: { const: 'change', title: 'Mode' },
				prompt: { type: 'string', title: 'Prompt', minLength: 1 },
				size: { enum: ['1024x1024', 'original'], title: 'Size' },
				img: { type: 'string', title: 'Img' },
				strength: { type: 'number', title: 'Strength', minimum: 0, maximum: 1 },
			},
			required: ['mode', 'prompt', 'img'],
			additionalProperties: false,
		},
	],
};

export const motion: JsonSchema = {
	type: 'object',
	title: 'Motion input',
	properties: {
		prompt: { type: 'string', title: 'Prompt', description: 'What happens', minLength: 1, maxLength: 2500 },
		image_url: {
			anyOf: [imageUrl('First Frame', 'URL of an image'), { type: 'null' }],
			title: 'First Frame',
			description: 'URL of the image that the video starts with',
			default: null,
		},
		duration: {
			type: 'integer',
			title: 'Duration',
			description: 'Seconds',
			enum: [5, 10],
			default: 5,
		},
		resolution: { type: 'string', title: 'Resolution', enum: ['480p', '720p'], default: '480p' },
		aspect_ratio: { type: 'string', title: 'Aspect Ratio', enum: ['16:9', '9:16', '1:1'], default: '16:9' },
		camera: {
			type: 'object',
			title: 'Camera',
			properties: {
				movement: {
					type: 'string',
					title: 'Movement',
					enum: ['static', 'pan', 'zoom'],
					default: 'static',
				},
				speed: { type: 'number', title: 'Speed', minimum: 0.1, maximum: 3, default: 1 },
			},
			additionalProperties: false,
		},
		loop: { type: 'boolean', title: 'Loop', default: false },
	},
	required: ['prompt'],
	additionalProperties: false,
};

export const song: JsonSchema = {
	type: 'object',
	title: 'Song input',
	properties: {
		prompt: { type: 'string', title: 'Prompt', description: 'What the song is about', minLength: 1 },
		lyrics: { type: 'string', title: 'Lyrics', description: 'Sung word by word; made up when empty' },
		title: { type: 'string', title: 'Title', maxLength: 80 },
		style: { type: 'string', title: 'Style', description: 'Such as "calm piano"' },
		instrumental: { type: 'boolean', title: 'Instrumental', default: false },
		tempo: { type: 'integer', title: 'Tempo', description: 'Beats per minute', minimum: 40, maximum: 220 },
	},
	required: ['prompt'],
	additionalProperties: false,
};

export const speech: JsonSchema = {
	type: 'object',
	title: 'Speech input',
	properties: {
		text: { type: 'string', title: 'Text', description: 'What is said', minLength: 1, maxLength: 5000 },
		voice: { type: 'string', title: 'Voice', enum: ['anna', 'boris', 'clara'], default: 'anna' },
		speed: { type: 'number', title: 'Speed', minimum: 0.5, maximum: 2, default: 1 },
		quality: { type: 'string', title: 'Quality', enum: ['standard', 'studio'], default: 'standard' },
	},
	required: ['text'],
	additionalProperties: false,
};
