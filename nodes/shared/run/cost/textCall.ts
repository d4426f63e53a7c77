import type { GatewayClient } from '../../gateway/client/client';
import type { TextModel } from '../../gateway/endpoints/models';
import { ApiError, asError } from '../../gateway/errors/errors';
import { mayBeCharged } from '../../gateway/errors/outcome';
import { chargeOf, costOfCharge, mostOfCall, type Charge } from '../../gateway/text/cost';
import type { Completion } from '../../gateway/text/formats/completion';
import { incompleteHint } from '../../gateway/text/incomplete';
import type { TextFormat } from '../../gateway/text/formats/format';
import type { OutputRequest } from '../../gateway/text/formats/request';
import { asText, type JsonObject } from '../../gateway/util/json';
import type { Catalogue } from '../../gateway/endpoints/catalogue';
import { costLimit, unknownPrice, type ExecutionCost, type Limit } from './executionCost';

export interface TextCosts {
	client: GatewayClient;
	cost: ExecutionCost;
	textModels: Catalogue<TextModel>;
	/** Shows a text with the node's output. */
	showHint: (text: string) => void;
}

export interface PlannedText {
	format: TextFormat;
	output: OutputRequest;
	/** The body as it is sent; files may still be placeholders. */
	body: JsonObject;
	/** The most that the execution may cost, as decimal text in rubles. */
	limitRub: string | undefined;
}

/**
 * Sends a text call, and adds its cost to that of the execution. A cost that the response does not report is computed
 * from the account's prices, if the catalogue can be read soon.
 *
 * @param send sends the call and returns the body of its response
 * @throws {InvalidInputError} if the execution could then cost more than the limit
 */
export async function completeText(
	costs: TextCosts,
	planned: PlannedText,
	send: () => Promise<JsonObject>,
): Promise<{ body: JsonObject; completion: Completion }> {
	const { format, output, limitRub, body } = planned;
	const limit = costLimit(costs.client, limitRub);
	const mostRub = limit && (await mostRubOf(costs, planned, limit));
	const call = await costs.cost.beginAfterCheck(costs.client, { mostRub, limitRub });
	const count = async (charge: Charge) => {
		const { client, textModels } = costs;
		const cost = await costOfCharge(charge, body, async () => await textModels.known(client, body.model));
		if (cost) call.charged(cost.rub);
		return cost?.fields;
	};
	try {
		const response = await send();
		const completion = format.readCompletion(response, output);
		const { inputTokens, outputTokens } = completion.usage;
		costs.cost.trace({ model: asText(body.model), inputTokens, outputTokens });
		const fields = await count(completion);
		if (!fields) call.ended(true);
		const hint = incompleteHint(completion.choices, body, format);
		if (hint !== undefined) costs.showHint(hint);
		return { body: response, completion: { ...completion, ...fields, hint } };
	} catch (error) {
		const fields = error instanceof ApiError ? await count(chargeOf(error)) : undefined;
		if (error instanceof ApiError && fields) {
			throw error.with({ extra: { ...error.details.extra, ...fields } });
		}
		call.ended(mayBeCharged(error));
		throw asError(error);
	}
}

async function mostRubOf(
	{ client, textModels }: TextCosts,
	{ format, body }: PlannedText,
	limit: Limit,
): Promise<string> {
	const most = mostOfCall(format, body, await textModels.required(client, body.model));
	if ('rub' in most) return most.rub;
	throw unknownPrice(`What the call to "${asText(body.model) ?? ''}" may cost`, most.reason, limit);
}
