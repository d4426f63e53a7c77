import type { GatewayClient } from '../../gateway/client/client';
import type { Catalogue, TextModel } from '../../gateway/endpoints/models';
import { ApiError, asError } from '../../gateway/errors/errors';
import { chargeOf, costOfCharge, mostOfCall, withMaxTokens, type TextCost } from '../../gateway/text/cost';
import type { FilesInBody } from '../../gateway/text/fileTokens';
import type { Completion } from '../../gateway/text/formats/completion';
import type { TextFormat } from '../../gateway/text/formats/format';
import type { OutputRequest } from '../../gateway/text/formats/request';
import { completionHint } from '../../gateway/text/incomplete';
import { asText, type JsonObject } from '../../gateway/util/json';
import type { Hints } from '../../n8n/hints';
import { beginCall, type Plan } from './charge';
import type { Ledger } from './ledger';
import { costLimit, executionLimit, unknownPrice, type Limit } from './limits';
import { mayBeCharged } from './words';

export interface TextCosts {
	client: GatewayClient;
	ledger: Ledger;
	textModels: Catalogue<TextModel>;
	hints: Pick<Hints, 'add'>;
}

export interface TextPlan extends Pick<Plan, 'item' | 'maxCostRub' | 'signal'> {
	format: TextFormat;
	output: OutputRequest;
	/** The body; files may still be placeholders. */
	body: JsonObject;
	files?: FilesInBody;
}

/**
 * A cost that the response does not report is computed from the account's prices, if the catalogue can be read soon. The
 * body that `send` gets may have a limit of tokens. Throws as {@link beginCall}.
 */
export async function completeText(
	costs: TextCosts,
	textPlan: TextPlan,
	send: (body: JsonObject) => Promise<JsonObject>,
): Promise<{ body: JsonObject; completion: Completion }> {
	const { client, ledger, textModels, hints } = costs;
	const { format, output, item, maxCostRub, signal } = textPlan;
	const limit = costLimit(client, maxCostRub);
	const { body, maxRub } = limit
		? await limitedCall(costs, textPlan, limit)
		: { ...textPlan, maxRub: undefined };
	const model = asText(body.model) ?? '';
	const endCall = await beginCall(ledger, { client, model, maxRub, item, maxCostRub, signal });
	const endWithCost = async (charged: TextCost, error?: unknown) => {
		// A rejected call has the cost that the gateway reports, and no other.
		const isPriced = error === undefined || charged.costRub !== null || mayBeCharged(error);
		const priced = async () => await textModels.known(client, model);
		const cost = isPriced ? await costOfCharge(charged, body, priced) : undefined;
		endCall({ rub: cost?.rub, tokens: charged.usage }, error);
		return cost?.fields;
	};
	let response: JsonObject;
	let completion: Completion;
	try {
		response = await send(body);
		completion = format.readCompletion(response, output);
	} catch (error) {
		const fields = await endWithCost(chargeOf(error), error);
		if (!(error instanceof ApiError) || !fields) throw asError(error);
		throw error.with({ extra: { ...error.details.extra, ...fields } });
	}
	const fields = await endWithCost(completion);
	const hint = completionHint(completion, body, format);
	if (hint !== undefined) hints.add(hint);
	return { body: response, completion: { ...completion, ...fields, hint } };
}

/** The body of a call whose cost is limited, and the most that it may cost, as decimal text in rubles. */
async function limitedCall(
	{ client, textModels }: TextCosts,
	{ format, body, files }: TextPlan,
	limit: Limit,
): Promise<{ body: JsonObject; maxRub: string }> {
	const model = await textModels.required(client, body.model);
	const limited = withMaxTokens(format, body);
	const most = mostOfCall(format, limited, model, files);
	// *Minimum Balance* cuts nothing off.
	if ('rub' in most) return { body: limit === executionLimit ? limited : body, maxRub: most.rub };
	throw unknownPrice(`What the call to "${asText(body.model) ?? ''}" may cost`, most.reason, limit);
}
