/** A text request in any format: checks (§7.2), completions, cost and charge. */
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts';
import { checkTokenRate } from '../auth';
import { accountPrices, findTextModel, type TextModel } from '../catalogue/textModels';
import type { GatewayContext } from '../context';
import { traceOf } from '../control/instrument';
import { ApiError } from '../errors';
import { toNumber, type Nano } from '../money';
import { generate, inputTokens } from './generate';
import { throwMarkedError } from './markers';
import { checkReturnedReasoning } from './returnedReasoning';
import { userText } from './reply';
import type { Completion, TextCall } from './types';

export interface Usage {
	input: number;
	/** Tokens of the input that were cached. */
	cached: number;
	/** Text (or tool calls) and reasoning together. */
	output: number;
	text: number;
	reasoning: number;
	inputCost: Nano;
	outputCost: Nano;
}

export interface CompletedCall {
	model: TextModel;
	completions: Completion[];
	usage: Usage;
	/** Charges the wallet, once for a request. */
	charge: () => void;
}

/** The key of the request; §8: longer keys are rejected. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
	const key = request.headers['idempotency-key'];
	if (typeof key !== 'string') return undefined;
	if (key.length > 255) {
		throw new ApiError('invalid_request', 'Idempotency-Key must be at most 255 characters');
	}
	return key === '' ? undefined : key;
}

/** Checks, completes and prices the request; throws the errors of §7.2 before anything is charged. */
export function completeCall(
	context: GatewayContext,
	request: FastifyRequest,
	account: Account,
	call: TextCall,
	endpoint: string,
): CompletedCall {
	const idempotencyKey = idempotencyKeyOf(request);
	const model = findTextModel(call.model);
	if (!model) throw new ApiError('model_not_found', `The model \`${call.model}\` does not exist`);
	throwMarkedError(userText(call));
	checkModalities(model, call);
	checkWindow(model, call);
	if (model.needsReasoning) checkReturnedReasoning(call);
	if (account.wallet <= 0n) throw new ApiError('insufficient_quota');
	const completions = generate(call, model);
	const cached = context.promptCache.use(account.name, call);
	const usage = priced(model, call, completions, cached);
	const cost = usage.inputCost + usage.outputCost;
	if (account.wallet < cost) throw new ApiError('insufficient_quota');
	checkTokenRate(account, context.settings.current.rateLimit, usage.input + usage.output, Date.now());
	let charged = false;
	const charge = (): void => {
		if (charged) return;
		charged = true;
		const requestId = traceOf(request).record.id;
		context.ledger.charge(account, cost, {
			kind: 'text',
			endpoint,
			model: model.id,
			requestId,
			idempotencyKey,
		});
	};
	return { model, completions, usage, charge };
}

/** A provider rejects what its model does not take; plugins turn files into text. */
function checkModalities({ takesOnlyText }: TextModel, call: TextCall): void {
	const kinds = call.messages.flatMap(({ attachments }) => attachments);
	const refused = kinds.find((kind) => kind !== 'file');
	if (takesOnlyText && refused !== undefined)
		throw new ApiError('provider_bad_request', `This model does not support ${refused} input`);
}

/** §8: input and reserved output must fit the window; the message names the numbers (§7.3). */
function checkWindow(model: TextModel, call: TextCall): void {
	const input = inputTokens(call);
	const reserved = call.maxTokens ?? 0;
	if (input + reserved <= model.contextLength) return;
	throw new ApiError(
		'content_too_large',
		`Input of ${input} tokens plus ${reserved} reserved output tokens exceed the context window of ${model.contextLength} tokens`,
	);
}

/** Cached tokens cost a tenth. */
function priced(model: TextModel, call: TextCall, completions: readonly Completion[], cached: number): Usage {
	const input = inputTokens(call);
	const text = completions.reduce((sum, completion) => sum + completion.textTokens, 0);
	const reasoning = completions.reduce((sum, completion) => sum + completion.reasoningTokens, 0);
	const prices = accountPrices(model);
	return {
		input,
		cached,
		output: text + reasoning,
		text,
		reasoning,
		inputCost: BigInt(input - cached) * prices.context + (BigInt(cached) * prices.context) / 10n,
		outputCost: BigInt(text + reasoning) * prices.completion,
	};
}

/** Rubles actually charged, as a JSON number. */
export function totalCost(usage: Usage): number {
	return toNumber(usage.inputCost + usage.outputCost);
}
