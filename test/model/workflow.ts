import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { locator } from '../helpers/values';
import type { Story, StoryNode } from '../stories/execution';
import type { Call, History, Operation } from './history';

/** A picture of one pixel. */
const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const nodeName = (node: number): string => (node === 0 ? 'Gateway' : `Gateway ${node + 1}`);

/** Names what the user orders with an item in a run of a node: inputs that are equal have the same name. */
export function orderName(
	{ ownKey, isEqual, edition }: History,
	operation: Operation | undefined,
	{ node, run, item }: Record<'node' | 'run' | 'item', number | string>,
): string {
	const isShared =
		ownKey !== null && ownKey !== 'perTry' && isEqual && operation !== 'text' && operation !== 'agent';
	const place = isShared ? (ownKey === 'forAll' ? 'all' : `any.${item}`) : `${node}.${run}.${item}`;
	return `${place}.v${edition}`;
}

/** The workflow of a history, as it is written now. */
export function storyOf(history: History): Pick<Story, 'nodes' | 'items' | 'rounds' | 'workflow'> {
	const { operations, isRedacted, items: count, hasFile, onError, tries, loop } = history;
	const binary = { data: { data: PIXEL, mimeType: 'image/png', fileName: 'pixel.png' } };
	const items = (): INodeExecutionData[] =>
		Array.from({ length: count }, (_, item) => ({
			json: { item },
			...(hasFile && { binary }),
		}));
	const nodes = operations.map(
		(operation, node): StoryNode => ({
			node: operation === 'text' ? 'textGeneration' : 'mediaTask',
			parameters: operation === 'text' ? textParameters(history, node) : mediaParameters(history, node),
			settings: { onError, retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1 },
		}),
	);
	return {
		nodes: nodes as Story['nodes'],
		items: items(),
		rounds: loop ? [items()] : [],
		workflow: isRedacted ? { redactionPolicy: 'all' } : {},
	};
}

/** The names of an order's parts in expressions, which are written the same in all nodes. */
const NODE = "$nodeId === 'node-1' ? 0 : 1";
const PARTS = {
	node: `{{ ${NODE} }}`,
	run: `{{ $runIndex - $vars['earlier' + (${NODE})] }}`,
	item: '{{ $itemIndex }}',
};

/** What an item asks for, which may differ each time that it is read. */
function prompt(history: History, node: number): string {
	const changing = { same: '', now: '{{ $now.toMillis() }}', random: '{{ Math.random() }}' }[history.input];
	return `order ${orderName(history, history.operations[node], PARTS)} ${changing}`;
}

/** The options of a node, or of what an agent calls. */
export function requestOptions(
	{ concurrency, maxRetries, maxCost, unlimited }: History,
	node: number,
	call?: Call,
): INodeParameters {
	const isLimited = maxCost !== null && !unlimited.includes(node) && !(call && unlimited.includes(call));
	return { concurrency, maxRetries, timeout: 1, ...(isLimited && { maxCostRub: maxCost }) };
}

function textParameters(history: History, node: number): StoryNode['parameters'] {
	return {
		resource: 'text',
		operation: 'generate',
		format: history.format,
		model: locator('sandbox/swift-1'),
		prompt: `=[[say:${prompt({ ...history, input: 'same' }, node)}]] ${prompt(history, node)}`,
		options: { ...requestOptions(history, node), maxTokens: 50 },
	};
}

const OWN_KEYS = {
	perItem: '=own-{{ $itemIndex }}',
	perTry: '=own-{{ Math.random() }}',
	forAll: 'own',
};

function mediaParameters(history: History, node: number): StoryNode['parameters'] {
	const { operations, download, maxWait, failing, ownKey } = history;
	const operation = operations[node];
	const hasFile = history.hasFile && node === 0;
	const fails = `{{ ${JSON.stringify(failing)}.includes($itemIndex) ? '[[fail]]' : '' }}`;
	const input = {
		prompt: `${prompt(history, node)} ${fails}`,
		...(!hasFile && { quality: 'draft', size: '512x512' }),
	};
	const files = [{ binaryPropertyName: 'data', inputField: 'image_urls' }];
	const waits = operation !== 'create';
	return {
		resource: 'task',
		operation: waits ? 'createAndWait' : 'create',
		model: locator(hasFile ? 'aurora/retouch-1' : 'aurora/canvas-1'),
		inputMode: 'json',
		inputJson: `=${JSON.stringify(input)}`,
		...(hasFile && { inputFiles: { files } }),
		...(waits && { waitStrategy: operation, downloadResults: download }),
		options: {
			...requestOptions(history, node),
			...(ownKey && { idempotencyKey: OWN_KEYS[ownKey] }),
			...(waits && { maxWait: maxWait / 60 }),
		},
	};
}
