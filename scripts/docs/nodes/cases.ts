import type { INodeParameters } from 'n8n-workflow';

import type { packageNodes } from '../../../test/helpers/engine';

/** One example: a node with these parameters, run against the sandbox gateway. */
export interface Case {
	node: keyof typeof packageNodes;
	/** `resource/operation`, of nodes that have operations. */
	operation?: string;
	/** The title of the example, if an operation has several. */
	title?: string;
	parameters: INodeParameters;
	/** The name by which other cases use its items. */
	name?: string;
	/** The case whose items are the input; an empty item by default. */
	after?: string;
	/** An operation of the node before it, in the same execution. */
	behind?: { resource: string; operation: string } & INodeParameters;
	/** A file in the input item. */
	file?: { fileName: string; mimeType: string; base64: string };
	/** With *On Error: Continue*. */
	continuesOnFail?: boolean;
	/** The code with which the gateway fails the task. */
	taskFails?: { code: string; message: string };
	/** The wallet's balance; of a trigger, one for each poll. */
	balances?: string[];
	/** The prompt of an agent to the chat model. */
	prompt?: string;
}

const model = (value: string) => ({ __rl: true, mode: 'id', value });

const form = (value: INodeParameters) => ({
	input: { mappingMode: 'defineBelow', value, matchingColumns: [], schema: [] },
});

const canvas = model('aurora/canvas-1');
const balanced = model('sandbox/balanced-2');
const omni = model('polyglot/omni-audio');
const taskId = '={{ $json.taskId }}';
const fileId = '={{ $json.id }}';

/** A picture of one pixel. */
const pixel =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A recording without a sample. */
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';

/** An empty document. */
const page = 'JVBERi0xLjQKJSVFT0YK';

/**
 * The examples of the pages in docs/nodes, at least one for each operation. They run in this order on one gateway, so that
 * later ones can use what earlier ones create.
 */
const casesByNode: Record<Case['node'], Array<Omit<Case, 'node'>>> = {
	textGeneration: [
		{
			operation: 'text/generate',
			title: 'Text',
			parameters: { model: balanced, prompt: 'Write an image prompt about: a lighthouse at dusk' },
		},
		{
			operation: 'text/generate',
			title: 'JSON by a schema',
			parameters: {
				model: balanced,
				prompt: 'Order 1042: two lamps for Anna, paid.',
				outputFormat: 'jsonSchema',
				schemaName: 'order',
				jsonSchema:
					'{"type": "object", "properties": {"number": {"type": "integer", "examples": [1042]}, "customer": {"type": "string", "examples": ["Anna"]}, "paid": {"type": "boolean"}}, "required": ["number", "customer", "paid"], "additionalProperties": false}',
			},
		},
		{
			operation: 'text/generate',
			title: 'A tool that the model asks for',
			parameters: {
				model: balanced,
				prompt: 'What is the weather in Lisbon? Use the tool.',
				tools: {
					function: [
						{
							name: 'get_weather',
							description: 'Gives the weather of a city',
							parameters:
								'{"type": "object", "properties": {"city": {"type": "string", "examples": ["Lisbon"]}}, "required": ["city"]}',
						},
					],
				},
			},
		},
		{
			operation: 'text/generate',
			title: 'Thoughts, in the API format Responses',
			parameters: {
				format: 'responses',
				model: model('sandbox/thinker-3'),
				prompt: 'Write an image description of: the sea at night',
				options: { reasoningEffort: 'low' },
			},
		},
		{
			operation: 'image/analyze',
			parameters: { model: balanced, prompt: 'What is in this picture?' },
			file: { fileName: 'pixel.png', mimeType: 'image/png', base64: pixel },
		},
		{
			operation: 'video/analyze',
			parameters: { model: balanced, source: 'url', url: 'https://example.com/clip.mp4' },
		},
		{
			operation: 'audio/transcribe',
			parameters: { model: omni },
			file: { fileName: 'silence.wav', mimeType: 'audio/wav', base64: silence },
		},
		{
			operation: 'document/read',
			title: 'The data of an invoice',
			parameters: {
				model: balanced,
				prompt: 'Read the invoice.',
				outputFormat: 'jsonSchema',
				schemaName: 'invoice',
				jsonSchema:
					'{"type": "object", "properties": {"number": {"type": "string", "examples": ["2025-17"]}, "total": {"type": "number", "examples": [119]}}, "required": ["number", "total"], "additionalProperties": false}',
			},
			file: { fileName: 'invoice.pdf', mimeType: 'application/pdf', base64: page },
		},
		{ operation: 'model/getMany', parameters: { search: 'sandbox', limit: 3 } },
		{ operation: 'model/get', parameters: { model: omni } },
	],
	mediaTask: [
		{
			operation: 'image/generate',
			name: 'picture',
			parameters: { model: canvas, prompt: 'A lighthouse at dusk', ...form({ quality: 'high' }) },
		},
		{
			operation: 'image/edit',
			after: 'picture',
			parameters: {
				model: model('aurora/retouch-1'),
				inputFiles: { files: [{ binaryPropertyName: 'data', inputField: 'image_urls' }] },
				prompt: 'Make it a winter night',
				...form({}),
			},
		},
		{
			operation: 'video/generate',
			parameters: {
				model: model('lumen/motion-2'),
				prompt: 'Waves break over a lighthouse',
				...form({ duration: 10 }),
			},
		},
		{
			operation: 'music/generate',
			name: 'song',
			parameters: {
				model: model('harmonia/song-3'),
				prompt: 'A sea shanty',
				...form({ lyrics: 'Blow the wind' }),
			},
		},
		{
			operation: 'speech/generate',
			parameters: {
				model: model('voxa/speech-1'),
				prompt: 'Welcome aboard! We leave at nine.',
				...form({ voice: 'anna' }),
			},
		},
		{
			operation: 'task/createAndWait',
			title: 'A picture',
			parameters: {
				model: canvas,
				inputMode: 'json',
				inputJson: '{"prompt": "A lighthouse at dawn", "quality": "draft"}',
			},
		},
		{
			operation: 'task/createAndWait',
			title: 'A task that fails',
			parameters: { model: canvas, prompt: 'A lighthouse at night' },
			continuesOnFail: true,
			taskFails: { code: 'CONTENT_REJECTED', message: 'The prompt is not allowed' },
		},
		{
			operation: 'task/create',
			name: 'order',
			parameters: { model: canvas, prompt: 'A lighthouse at noon' },
		},
		{ operation: 'task/wait', after: 'order', parameters: { taskId } },
		{ operation: 'task/getMany', parameters: { limit: 2 } },
		{ operation: 'task/get', after: 'order', parameters: { taskId } },
		{
			operation: 'task/getFromExecution',
			behind: { resource: 'task', operation: 'create', model: canvas, prompt: 'A lighthouse at dusk' },
			parameters: {},
		},
		{ operation: 'task/download', title: 'One file', after: 'order', parameters: { taskId } },
		{ operation: 'task/download', title: 'Several files', after: 'song', parameters: { taskId } },
		{
			operation: 'task/getLyrics',
			after: 'song',
			parameters: { taskId, audioId: '={{ $json.tracks[0].id }}' },
		},
		{ operation: 'task/archive', after: 'order', parameters: { taskId } },
		{ operation: 'task/unarchive', after: 'order', parameters: { taskId } },
		{ operation: 'task/delete', after: 'order', parameters: { taskId } },
		{ operation: 'task/restore', after: 'order', parameters: { taskId } },
		{ operation: 'model/getMany', parameters: { search: 'audio' } },
		{
			operation: 'video/generate',
			parameters: {
				model: model('lumen/motion-2'),
				prompt: 'A lighthouse at dusk',
				...form({ duration: 10, resolution: '720p' }),
				options: { dryRun: true },
			},
		},
		{ operation: 'session/create', parameters: { sessionJson: '{"name": "Spring campaign"}' } },
	],
	mediaTaskTrigger: [
		{ title: 'A task that has succeeded', after: 'picture', parameters: { events: 'success' } },
	],
	storage: [
		{
			operation: 'file/upload',
			name: 'upload',
			parameters: { storagePolicy: 'PERMANENT', options: { externalUserId: 'customer-42' } },
			file: { fileName: 'pixel.png', mimeType: 'image/png', base64: pixel },
		},
		{ operation: 'file/get', after: 'upload', parameters: { fileId } },
		{ operation: 'file/getMany', parameters: { limit: 2 } },
		{ operation: 'file/download', after: 'upload', parameters: { fileId } },
		{ operation: 'file/delete', after: 'upload', parameters: { fileId } },
	],
	balance: [{ operation: 'balance/get', parameters: { options: { threshold: 100 } }, balances: ['73.40'] }],
	balanceTrigger: [
		{
			title: 'Falling below the threshold',
			parameters: { fireOn: 'below', threshold: 100 },
			balances: ['120.00', '99.50'],
		},
		{ title: 'A change', parameters: { fireOn: 'change' }, balances: ['120.00', '99.50'] },
	],
	chatModel: [
		{ parameters: { model: balanced }, prompt: 'Write an image prompt about: a lighthouse at dusk' },
	],
};

export const cases = Object.entries(casesByNode).flatMap(([node, list]) =>
	list.map((one): Case => ({ ...one, node: node as Case['node'] })),
);
