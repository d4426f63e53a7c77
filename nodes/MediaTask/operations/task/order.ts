import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext } from '../../../shared/execution/operation';
import { modelLocator } from '../../../shared/fields/models';
import { InvalidInput } from '../../../shared/gateway/failure';
import { idempotencyKey, type IdempotencyScope } from '../../../shared/gateway/idempotency';
import type { JsonObject } from '../../../shared/gateway/json';
import { createMediaTask, createdTaskId, taskBody, type MediaTaskOrder } from '../../../shared/gateway/media';

/** Parameters of every operation that creates a task. */
export const orderFields: INodeProperties[] = [
	modelLocator(
		'searchMediaModels',
		'vendor/image-model',
		'The model that does the work. The list shows what it makes and your price for a task.',
	),
	{
		displayName: 'Input (JSON)',
		name: 'inputJson',
		type: 'json',
		typeOptions: { rows: 6 },
		default: '{\n  "prompt": ""\n}',
		required: true,
		description:
			'What the model is to make, as a JSON object. Which fields there are depends on the model. A text from another node goes in through JSON.stringify(…), without quotes around it.',
	},
];

/** Options of every operation that creates a task. */
export const orderOptions: INodeProperties[] = [
	{
		displayName: 'Callback URL',
		name: 'callbackUrl',
		type: 'string',
		default: '',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		description: 'An address that the gateway calls when the task has ended',
	},
	{
		displayName: 'Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-{{ $json.orderId }}',
		description:
			'Your own key for this creation, up to 255 characters. The same key always gives the same task and is charged once. Overrides the scope.',
	},
	{
		displayName: 'Idempotency Scope',
		name: 'idempotencyScope',
		type: 'options',
		options: [
			{
				name: 'Execution',
				value: 'execution',
				description:
					'Retries within one execution create and charge once; a new execution creates a new task',
			},
			{
				name: 'Workflow',
				value: 'workflow',
				description: 'The same input in this node is never paid twice, also when the workflow runs again',
			},
		],
		default: 'execution',
		description: 'What counts as the same creation, which is charged once',
	},
	{
		displayName: 'Session ID',
		name: 'sessionId',
		type: 'string',
		default: '',
		description: 'The media session to which the task belongs',
	},
];

export interface Order {
	order: MediaTaskOrder;
	body: JsonObject;
	key: string;
	/** Whether the key may have been used before, so that the task may exist and have ended. */
	mayExist: boolean;
}

/**
 * Reads what an item orders.
 *
 * @throws {InvalidInput} for what cannot be sent
 */
export function readOrder(item: ItemContext): Order {
	const { parameters } = item;
	const { options } = parameters;
	const order: MediaTaskOrder = {
		model: parameters.requiredText('model', 'Model', 'Choose a model from the list, or enter its ID.').trim(),
		input: parameters.jsonObject('inputJson', 'Input (JSON)'),
		sessionId: options.text('sessionId', 'Session ID'),
		callbackUrl: checkedUrl(options.text('callbackUrl', 'Callback URL')),
	};
	const body = taskBody(order);
	const ownKey = options.text('idempotencyKey', 'Idempotency Key');
	const scope = readScope(options.text('idempotencyScope', 'Idempotency Scope'));
	return {
		order,
		body,
		key: ownKey ?? idempotencyKey(scope, item.run.place(item.index), body),
		mayExist: item.isRepeat || ownKey !== undefined || scope === 'workflow',
	};
}

/** Creates the task and gives the body as received. */
export async function place(
	item: ItemContext,
	{ body, key }: Order,
): Promise<{ taskId: string; body: JsonObject }> {
	const answer = await createMediaTask(item.client, body, key);
	const taskId = createdTaskId(answer);
	item.noteTask(taskId);
	return { taskId, body: answer };
}

function readScope(value = 'execution'): IdempotencyScope {
	if (value === 'execution' || value === 'workflow') return value;
	throw new InvalidInput(
		`The idempotency scope "${value}" is unknown`,
		'It is "execution" or "workflow".',
		'idempotencyScope',
	);
}

function checkedUrl(url: string | undefined): string | undefined {
	if (url === undefined || /^https?:\/\/[^\s/]+/i.test(url.trim())) return url?.trim();
	throw new InvalidInput(
		'The callback URL is not a web address',
		'It begins with https:// (or http://) and must be reachable for the gateway. Nothing was created.',
		'callbackUrl',
	);
}
