import { asBoolean, asNumber, asObject, compact, type Json } from '../../../shared/gateway/util/json';
import type { MediaType } from '../../../shared/gateway/media/price';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { decimal, EMPTY_HINT, text } from '../../../shared/params/kinds';
import { isUnset, type Values } from '../../../shared/params/parameter';
import { includeInput } from '../../../shared/fields/results';
import { dryRun } from '../../../shared/run/charge/dryRun';
import { setFields } from '../../../shared/run/charge/keys';
import { checkKey } from '../../../shared/run/charge/ownKeys';
import type { ItemContext, ItemInput } from '../../../shared/run/operation';
import { maxCostRub } from '../../../shared/run/settings';
import { enteredInput, inputParameters, model, promptParameter } from '../input';
import { findTaskFiles, inputFiles } from '../inputFiles';
import { readCallbackUrl } from './callbackUrl';
import type { EnteredTask } from './taskInput';

export const taskParameters = {
	model,
	prompt: promptParameter('What to generate', 'A lighthouse in a winter storm'),
	...inputParameters,
	inputFiles,
};

export const taskOptions = {
	callbackUrl: text({
		displayName: 'Callback URL',
		placeholder: 'e.g. https://n8n.example.com/webhook/…',
		description: 'A URL to which the gateway sends a callback when the task has ended',
		hint: 'Publish the workflow first, and copy the production URL of its Gateway Media Task Trigger',
		traits: {
			changesRequest: false,
			mustBeSet:
				'The gateway would call nobody when the task has ended. Enter the URL, or take a value that each item has.',
		},
	}).optional(),
	dryRun,
	idempotencyKey: text({
		displayName: 'Idempotency Key',
		placeholder: 'e.g. order-{{ $json.orderId }}',
		whenEmpty: 'Enter a key, or remove the option.',
		description:
			'Your own key, such as an order number. The gateway creates and charges one task per key, in all executions. Another input needs another key. Up to 255 ASCII characters.',
		traits: {
			mustBeSet:
				'All items without that value would have one key, and get the task of the first. Take one that each item has.',
		},
	}).requiredIfAdded(),
	includeInput,
	maxCostRub,
	maxPriceRub: decimal({
		displayName: 'Max Price (₽)',
		default: 100,
		description:
			'The most that a task may cost. If its price in the catalogue is higher or unknown, the item fails and nothing is created. With 0, only free tasks are created.',
		traits: { changesRequest: false, byUserOnly: true },
	}).requiredIfAdded(),
	sessionId: text({
		displayName: 'Session ID',
		placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
		description: 'The ID of the media session to which the task belongs',
	}).optional(),
};

type TaskParams = Values<typeof taskParameters> & { readonly options: Values<typeof taskOptions> };

export interface PlannedTask extends EnteredTask {
	sessionId: string | undefined;
	callbackUrl: string | undefined;
	/** The user's idempotency key. */
	ownKey: string | undefined;
	/** The key with what it stands for; files are compared when they are read. */
	owned: { key: string; request: Json } | undefined;
	maxCostRub: string | undefined;
	maxPriceRub: string | undefined;
	isDryRun: boolean;
	/** What the item asks for, without what the catalogue, files and limits add. */
	request: Json;
}

/** @throws {InvalidInputError} for what cannot be sent */
export function planTask(item: ItemInput<TaskParams>, mediaType?: MediaType): PlannedTask {
	const { params, n8n } = item;
	const { callbackUrl, idempotencyKey: ownKey, sessionId } = params.options;
	if (ownKey !== undefined) checkKey(ownKey);
	const entered = enteredInput(params);
	const hasNoPrompt = entered.isForm && params.prompt?.trim() === '';
	// Some models would make, and charge, something without the one that an expression was to give.
	if (hasNoPrompt && String(n8n.getNode().parameters.prompt).startsWith('='))
		throw new InvalidInputError("'Prompt' is empty", EMPTY_HINT, 'prompt');
	const files = findTaskFiles(item);
	const described = files.map(({ field, binary }) => {
		const { fileName, mimeType, bytes, fileSize, data } = binary;
		return compact({ field, fileName, mimeType, size: bytes ?? fileSize ?? data.length });
	});
	const { model: id } = entered;
	const values = entered.isForm ? setFields(entered.values) : entered.values;
	// Of this the node makes its key; the types that a form gives are not known yet.
	const asked = compact({ model: id, prompt: params.prompt, values, sessionId });
	const { prompt } = entered;
	// By this, items with one key of the user are compared before the first request; `useKey` compares what is sent.
	const compared = typeless({ model: id, values: { ...compact({ prompt }), ...values }, sessionId });
	return {
		entered,
		mediaType,
		files,
		sessionId: sessionId || undefined,
		callbackUrl: readCallbackUrl(callbackUrl),
		ownKey,
		owned: ownKey === undefined ? undefined : { key: ownKey, request: compared },
		maxCostRub: params.options.maxCostRub,
		maxPriceRub: params.options.maxPriceRub,
		isDryRun: params.options.dryRun === true,
		request: { ...asked, files: described },
	};
}

/** A value without what does not change a request: a form gives texts their types, and leaves empty fields out. */
function typeless(value: Json | undefined): Json {
	if (Array.isArray(value)) return value.map(typeless);
	const fields = asObject(value);
	if (fields) {
		const set = Object.entries(fields).filter(([, inner]) => !isUnset(inner));
		return Object.fromEntries(set.map(([name, inner]) => [name, typeless(inner)]));
	}
	const flag = asBoolean(value);
	return flag === undefined ? (asNumber(value) ?? String(value).trim()) : Number(flag);
}

/** Whether another execution may have created the task, which then does not call this one back. */
export function mayBeOfOthers({ run }: ItemContext, { ownKey }: PlannedTask): boolean {
	return run.isRetry || ownKey !== undefined;
}
