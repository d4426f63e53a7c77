import type { JsonObject } from '../../../shared/gateway/util/json';
import { taskBody } from '../../../shared/gateway/endpoints/tasks';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { checkKey, idempotencyKey } from '../../../shared/gateway/media/idempotency';
import { withFiles, type InputFileUrl } from '../../../shared/gateway/media/inputFiles';
import { inputForm } from '../../../shared/gateway/media/inputSchema';
import { taskPrice } from '../../../shared/gateway/media/price';
import { choice, decimal, filled, json, optional, text } from '../../../shared/params/kinds';
import type { Values } from '../../../shared/params/parameter';
import type { ItemContext } from '../../../shared/run/operation';
import { dryRun } from '../../../shared/run/cost/dryRun';
import { costLimit } from '../../../shared/run/cost/minBalance';
import { maxCostRub } from '../../../shared/run/settings';
import type { ResumeCallback } from '../../suspend/suspendableTask';
import { inputParameters, model, readInput } from '../input';
import {
	contentPlaceholder,
	fileValues,
	inputFiles,
	placeholder,
	readTaskFiles,
	type TaskFile,
} from '../inputFiles';
import { taskPrompt } from '../prompt';
import { callbackWithData, readCallbackUrl } from './callbackUrl';
import { checkPriceLimit, knownPrice } from './priceLimit';

/** Parameters of every operation that creates a task. */
export const taskParameters = { model, prompt: taskPrompt, ...inputParameters, inputFiles };

/** Options of every operation that creates a task. */
export const taskOptions = {
	callbackUrl: optional(
		text({
			displayName: 'Callback URL',
			placeholder: 'e.g. https://n8n.example.com/webhook/…',
			description: 'A URL to which the gateway sends a callback when the task has ended',
			hint: 'To start a workflow, copy the production URL from the panel of a Gateway Media Task Trigger',
		}),
	),
	dryRun,
	idempotencyKey: filled(
		text({
			displayName: 'Idempotency Key',
			placeholder: 'e.g. order-{{ $json.orderId }}',
			whenEmpty: 'Enter a key, or remove the option.',
			description:
				"Your own key for this task: up to 255 ASCII characters, sent as typed. The same key always returns the same task, which is charged once. Overrides 'Idempotency Scope'.",
		}),
	),
	idempotencyScope: filled(
		choice({
			displayName: 'Idempotency Scope',
			options: [
				{
					name: 'Execution',
					value: 'execution',
					description: 'Retries within one execution create one task; a new execution creates a new one',
				},
				{
					name: 'Workflow',
					value: 'workflow',
					description: 'The same input in this node creates one task, even when the workflow runs again',
				},
			],
			default: 'execution',
			description:
				"What counts as the same task, which is created and charged once. Defaults to 'Execution'.",
		}),
	),
	maxCostRub,
	maxPriceRub: filled(
		decimal({
			displayName: 'Max Price (Rubles)',
			default: 100,
			description:
				'The most that a task may cost. If its price in the catalogue is higher or unknown, the item fails and nothing is created. With 0, only free tasks are created.',
		}),
	),
	passThrough: filled(
		json({
			displayName: 'Pass Through (JSON)',
			rows: 3,
			default: '{\n  "orderId": ""\n}',
			example: '{ "orderId": 1042 }',
			description:
				"Data that Gateway Media Task Trigger adds to its output, up to 2 KB. It becomes part of the 'Callback URL', so do not include secrets. An existing task keeps its first data.",
		}),
	),
	sessionId: optional(
		text({
			displayName: 'Session ID',
			placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
			description: 'The ID of the media session to which the task belongs',
		}),
	),
};

/** An item whose operation creates a task. */
export type TaskItem = ItemContext<
	Values<typeof taskParameters> & { readonly options: Values<typeof taskOptions> }
>;

/** A checked request to create a task. So far, only the catalogue was requested for it. */
export interface TaskRequest {
	/** With placeholders for files: what the price depends on. */
	input: JsonObject;
	files: TaskFile[];
	/** The body of the request with these files in the input. */
	bodyWith: (files: readonly InputFileUrl[]) => JsonObject;
	key: string;
	/** Whether the task of the key may have failed in another execution: another one is then created in its place. */
	mayHaveFailed: boolean;
	/** The price as decimal text in rubles; only if there is a limit. */
	mostRub: string | undefined;
	/** The most that the execution may cost, as decimal text in rubles. */
	limitRub: string | undefined;
}

/** Whether another execution may have created the task, and have paid for it. */
export function mayBeOfOthers({ run, params }: TaskItem): boolean {
	return run.execution.isRetry || isShared(params.options);
}

function isShared({ idempotencyKey: ownKey, idempotencyScope }: TaskItem['params']['options']): boolean {
	return ownKey !== undefined || idempotencyScope === 'workflow';
}

/**
 * Reads an item's request to create a task.
 *
 * @param callback how the gateway resumes this execution, when it may be suspended
 * @throws {InvalidInputError} for what cannot be sent, and for a price over the limit
 * @throws {ApiError} when the catalogue is needed and cannot be read: for a form, files, a prompt and a price limit
 */
export async function readTaskRequest(item: TaskItem, callback?: ResumeCallback): Promise<TaskRequest> {
	const { params, run, client, journal } = item;
	const { model: id, options } = params;
	const { sessionId, idempotencyKey: ownKey, idempotencyScope: scope = 'execution' } = options;
	const { maxPriceRub, maxCostRub } = options;
	const callbackUrl = readCallbackUrl(options.callbackUrl, client.settings.baseUrl);
	const callbackWithOwnData = callbackWithData(callbackUrl, options.passThrough);
	if (ownKey !== undefined) checkKey(ownKey);

	const values = await readInput(item);
	const files = await readTaskFiles(item);
	const catalogued = async () => await run.mediaModel(client, id);
	// The schema says which fields are lists of files.
	const form = files.length > 0 ? inputForm((await catalogued()).inputSchema) : undefined;
	const inputWith = (urls: readonly InputFileUrl[]) => (form ? withFiles(values, urls, form) : values);
	const bodyWith = (urls: readonly InputFileUrl[], url = callbackUrl) =>
		taskBody({ model: id, input: inputWith(urls), sessionId, callbackUrl: url });
	const input = inputWith(await fileValues(files, placeholder));
	const limit = costLimit(client, maxCostRub);
	const price = (maxPriceRub ?? limit) && taskPrice(await catalogued(), input);
	if (price && maxPriceRub !== undefined) checkPriceLimit(price, maxPriceRub);
	const mostRub = price && limit && knownPrice(price, limit);
	const content = isShared(options) ? bodyWith(await fileValues(files, contentPlaceholder)) : {};
	const context = { ...run.identity, itemIndex: item.index };
	const digest = idempotencyKey('workflow', context, content);
	const isFree = ownKey === undefined || journal.claimKey(item.index, `${client.account} ${ownKey}`, digest);
	// The gateway would return the first item's task for the second one.
	if (!isFree)
		throw new InvalidInputError(
			"'Idempotency Key' is the same for two different inputs",
			'Make it different for each input, e.g. with an order number of the item.',
			'idempotencyKey',
		);
	return {
		input,
		files,
		bodyWith: (urls) => bodyWith(urls, callback?.isRequested ? callback.url : callbackWithOwnData),
		key: ownKey ?? idempotencyKey(scope, context, content),
		mayHaveFailed: ownKey === undefined && (scope === 'workflow' || run.execution.isRetry),
		mostRub,
		limitRub: maxCostRub,
	};
}
