/** The common course of a text call: checks before it (§7.2), the answer, its cost and the charge. */
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts';
import { checkPlan, checkTokenRate } from '../auth';
import { accountPrices, findTextModel, type TextModel } from '../catalogue/textModels';
import type { GatewayContext } from '../context';
import { traceOf } from '../control/instrument';
import { ApiError } from '../errors';
import { toNumber, type Nano } from '../money';
import { generate, inputTokens } from './generate';
import { throwMarkedError } from './markers';
import { userText } from './reply';
import type { HttpResponse, TextCall } from './types';

export interface Usage {
	input: number;
	/** Text (or tool calls) and reasoning together. */
	output: number;
	text: number;
	reasoning: number;
	inputCost: Nano;
	outputCost: Nano;
}

export interface AnsweredCall {
	model: TextModel;
	answers: HttpResponse[];
	usage: Usage;
	/** Takes the cost from the wallet; a call is charged once, however often this runs. */
	charge: () => void;
}

/** §8: longer keys are refused; the key of the request otherwise. */
export function idempotencyKeyOf(request: FastifyRequest): string | undefined {
	const key = request.headers['idempotency-key'];
	if (typeof key !== 'string') return undefined;
	if (key.length > 255) {
		throw new ApiError('invalid_request', 'Idempotency-Key must be at most 255 characters');
	}
	return key === '' ? undefined : key;
}

/** Checks the call, answers it and prices the answer; throws the errors of §7.2 before anything is charged. */
export function answerCall(
	context: GatewayContext,
	request: FastifyRequest,
	account: Account,
	call: TextCall,
	endpoint: string,
): AnsweredCall {
	const idempotencyKey = idempotencyKeyOf(request);
	const model = findTextModel(call.model);
	if (!model) throw new ApiError('model_not_found', `The model \`${call.model}\` does not exist`);
	throwMarkedError(userText(call));
	checkWindow(model, call);
	if (account.wallet <= 0n) throw new ApiError('insufficient_quota');
	const answers = generate(call, model);
	const usage = priced(model, call, answers);
	const cost = usage.inputCost + usage.outputCost;
	if (account.wallet < cost) throw new ApiError('insufficient_quota');
	checkTokenRate(account, context.settings.current.rateLimit, usage.input + usage.output, Date.now());
	checkPlan(account, model.id);
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
	return { model, answers, usage, charge };
}

/** §8: input and reserved output must fit the window; the message gives the numbers (§7.3). */
function checkWindow(model: TextModel, call: TextCall): void {
	const input = inputTokens(call);
	const reserved = call.maxTokens ?? 0;
	if (input + reserved <= model.contextLength) return;
	throw new ApiError(
		'content_too_large',
		`Input of ${input} tokens plus ${reserved} reserved output tokens exceed the context window of ${model.contextLength} tokens`,
	);
}

function priced(model: TextModel, call: TextCall, answers: readonly HttpResponse[]): Usage {
	const input = inputTokens(call);
	const text = answers.reduce((sum, answer) => sum + answer.textTokens, 0);
	const reasoning = answers.reduce((sum, answer) => sum + answer.reasoningTokens, 0);
	const prices = accountPrices(model);
	return {
		input,
		output: text + reasoning,
		text,
		reasoning,
		inputCost: BigInt(input) * prices.context,
		outputCost: BigInt(text + reasoning) * prices.completion,
	};
}

/** Rubles actually charged, as a JSON number. */
export function totalCost(usage: Usage): number {
	return toNumber(usage.inputCost + usage.outputCost);
}
