/** The text models (§2.1), with context windows and prices. */
import { accountPrice, parseRubles, toNumber, type Nano } from '../money';

export interface TextModel {
	id: string;
	contextLength: number;
	/** Base prices per token. */
	costContext: Nano;
	costCompletion: Nano;
	/** Thinks before it responds, also when no effort is set. */
	reasons?: boolean;
	/** Rejects tool results whose assistant message comes back without its reasoning. */
	needsReasoning?: boolean;
	/** Rejects images, audio and videos. */
	takesOnlyText?: boolean;
}

function model(
	id: string,
	contextLength: number,
	context: string,
	completion: string,
	more: Partial<TextModel> = {},
): TextModel {
	return {
		id,
		contextLength,
		costContext: parseRubles(context),
		costCompletion: parseRubles(completion),
		...more,
	};
}

export const textModels: readonly TextModel[] = [
	model('sandbox/swift-1', 128_000, '0.00001', '0.00004'),
	model('sandbox/balanced-2', 200_000, '0.0003', '0.0015'),
	model('sandbox/thinker-3', 400_000, '0.0015', '0.009', { reasons: true }),
	model('sandbox/grand-4', 1_000_000, '0.0125', '0.0625'),
	model('sandbox/recall-5', 400_000, '0.0015', '0.009', {
		reasons: true,
		needsReasoning: true,
	}),
	model('polyglot/omni-audio', 64_000, '0.00025', '0.001'),
	model('tiny/window-1k', 1_024, '0.00002', '0.00002', { takesOnlyText: true }),
];

export function findTextModel(id: string): TextModel | undefined {
	return textModels.find((entry) => entry.id === id);
}

/** The account's prices per token. */
export function accountPrices(entry: TextModel): { context: Nano; completion: Nano } {
	return { context: accountPrice(entry.costContext), completion: accountPrice(entry.costCompletion) };
}

/** The catalogue record: base prices, or the account's (§2.1, which shows no other fields). Prices are rubles per token. */
export function textModelRecord(entry: TextModel, forAccount: boolean): Record<string, unknown> {
	const prices = forAccount
		? accountPrices(entry)
		: { context: entry.costContext, completion: entry.costCompletion };
	return {
		id: entry.id,
		context_length: entry.contextLength,
		cost_context: toNumber(prices.context),
		cost_completion: toNumber(prices.completion),
	};
}
