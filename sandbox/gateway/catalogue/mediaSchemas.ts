/** The `input_schema` of each media model (§2.2); together they use the keywords of such schemas. */
import type { JsonSchema } from '../jsonSchema';

const text = (title: string, description?: string, more: JsonSchema = {}): JsonSchema => ({
	type: 'string',
	title,
	...(description !== undefined && { description }),
	...more,
});
const choice = (title: string, values: string[], initial: string): JsonSchema =>
	text(title, undefined, { enum: values, default: initial });
const number = (title: string, more: JsonSchema): JsonSchema => ({ type: 'number', title, ...more });
const toggle = (title: string): JsonSchema => ({ type: 'boolean', title, default: false });
const objectOf = (
	title: string,
	required: string[] | undefined,
	properties: Record<string, JsonSchema>,
): JsonSchema => ({
	type: 'object',
	title,
	properties,
	...(required && { required }),
	additionalProperties: false,
});

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
const optionalImageUrl = (title: string, about: string, description: string): JsonSchema => ({
	anyOf: [imageUrl(title, about), { type: 'null' }],
	title,
	description,
	default: null,
});

export const canvas = objectOf('Canvas input', ['prompt'], {
	prompt: text('Prompt', 'What the image shows', { minLength: 1, maxLength: 4000 }),
	negative_prompt: text('Negative Prompt', 'What it must not show'),
	size: text('Size', 'Width and height in pixels', {
		enum: ['512x512', '1024x1024', '1536x1024', '1024x1536'],
		default: '1024x1024',
	}),
	quality: choice('Quality', ['draft', 'standard', 'high'], 'standard'),
	num_images: {
		type: 'integer',
		title: 'Number of Images',
		description: 'All of them are included in the price',
		minimum: 1,
		maximum: 4,
		default: 1,
	},
	guidance: number('Guidance', { minimum: 0, maximum: 20, default: 7.5 }),
	transparent: toggle('Transparent Background'),
	tags: {
		type: 'array',
		title: 'Tags',
		description: 'Style words',
		items: { type: 'string' },
		maxItems: 8,
	},
	watermark: objectOf('Watermark', ['text'], {
		text: text('Text', undefined, { maxLength: 40 }),
		opacity: number('Opacity', { minimum: 0, maximum: 1, default: 0.5 }),
	}),
	seed,
});

export const retouch = objectOf('Retouch input', ['prompt', 'image_urls'], {
	prompt: text('Prompt', 'What to change', { minLength: 1, maxLength: 2000 }),
	image_urls: {
		type: 'array',
		title: 'Images',
		description: 'URLs of the images to edit',
		items: imageUrl('Image', 'URL of an image'),
		minItems: 1,
		maxItems: 4,
	},
	mask_url: optionalImageUrl('Mask', 'White where the image may change', 'URL of a mask image'),
	strength: choice('Strength', ['light', 'medium', 'strong'], 'medium'),
	output_format: choice('Output Format', ['png'], 'png'),
	seed,
});

/** A mode of {@link remix}. */
const mode = (name: string, sizes: string[], required: string[], more: Record<string, JsonSchema>) => ({
	type: 'object',
	properties: {
		mode: { const: name, title: 'Mode' },
		prompt: text('Prompt', undefined, { minLength: 1 }),
		size: { enum: sizes, title: 'Size' },
		...more,
	},
	required: ['mode', 'prompt', ...required],
	additionalProperties: false,
});

/** A union: each mode has fields of its own, and other values for those that both have. */
export const remix: JsonSchema = {
	title: 'Remix input',
	oneOf: [
		mode('draw', ['512x512', '1024x1024'], [], {}),
		mode('change', ['1024x1024', 'original'], ['img'], {
			img: text('Img'),
			strength: number('Strength', { minimum: 0, maximum: 1 }),
		}),
	],
};

export const motion = objectOf('Motion input', ['prompt'], {
	prompt: text('Prompt', 'What happens', { minLength: 1, maxLength: 2500 }),
	image_url: optionalImageUrl(
		'First Frame',
		'URL of an image',
		'URL of the image that the video starts with',
	),
	duration: { type: 'integer', title: 'Duration', description: 'Seconds', enum: [5, 10], default: 5 },
	resolution: choice('Resolution', ['480p', '720p'], '480p'),
	aspect_ratio: choice('Aspect Ratio', ['16:9', '9:16', '1:1'], '16:9'),
	camera: objectOf('Camera', undefined, {
		movement: choice('Movement', ['static', 'pan', 'zoom'], 'static'),
		speed: number('Speed', { minimum: 0.1, maximum: 3, default: 1 }),
	}),
	loop: toggle('Loop'),
});

export const song = objectOf('Song input', ['prompt'], {
	prompt: text('Prompt', 'What the song is about', { minLength: 1 }),
	lyrics: text('Lyrics', 'Sung word by word; made up when empty'),
	title: text('Title', undefined, { maxLength: 80 }),
	style: text('Style', 'Such as "calm piano"'),
	instrumental: toggle('Instrumental'),
	tempo: {
		type: 'integer',
		title: 'Tempo',
		description: 'Beats per minute',
		minimum: 40,
		maximum: 220,
	},
});

export const speech = objectOf('Speech input', ['text'], {
	text: text('Text', 'What is said', { minLength: 1, maxLength: 5000 }),
	voice: choice('Voice', ['anna', 'boris', 'clara'], 'anna'),
	speed: number('Speed', { minimum: 0.5, maximum: 2, default: 1 }),
	quality: choice('Quality', ['standard', 'studio'], 'standard'),
});
