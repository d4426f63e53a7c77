import type { GatewayClient } from '../../gateway/client/client';
import type { TextModel } from '../../gateway/endpoints/models';
import { ApiError, asError, InvalidInputError } from '../../gateway/errors/errors';
import { costOfCall, mostOfCall, type PricedTokens } from '../../gateway/text/cost';
import type { Completion } from '../../gateway/text/formats/completion';
import { incompleteHint } from '../../gateway/text/incomplete';
import type { TextFormat } from '../../gateway/text/formats/format';
import type { OutputRequest } from '../../gateway/text/formats/request';
import { asNumber, asObject, asText, type JsonObject } from '../../gateway/util/json';
import type { Catalogue } from '../catalogue';
import { mayBeCharged } from '../nodeError';
import type { ExecutionCost } from './executionCost';
import { beginCall, costLimit, type Limit } from './minBalance';

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
	const { format, output, limitRub } = planned;
	const limit = costLimit(costs.client, limitRub);
	const mostRub = limit && (await mostRubOf(costs, planned, limit));
	const call = await beginCall(costs, { mostRub, limitRub });
	const count = async (charge: Charge) => {
		const cost = await costOf(costs, planned.body, charge);
		if (cost) call.charged(cost.rub);
		return cost?.fields;
	};
	try {
		const body = await send();
		const completion = format.readCompletion(body, output);
		const { inputTokens, outputTokens } = completion.usage;
		costs.cost.trace({ model: asText(planned.body.model), inputTokens, outputTokens });
		const fields = await count(completion);
		if (!fields) call.ended(true);
		const hint = incompleteHint(completion.choices, planned.body, format);
		if (hint !== undefined) costs.showHint(hint);
		return { body, completion: { ...completion, ...fields, hint } };
	} catch (error) {
		const fields = error instanceof ApiError ? await count(chargeOf(error)) : undefined;
		if (error instanceof ApiError && fields) {
			throw error.with({ extra: { ...error.details.extra, ...fields } });
		}
		call.ended(mayBeCharged(error));
		throw asError(error);
	}
}

/** What a response, or an error about it, says of the cost of its call. */
type Charge = Pick<Completion, 'costRub'> & { usage: PricedTokens };

function chargeOf({ details: { extra = {} } }: ApiError): Charge {
	const noTokens = { inputTokens: null, outputTokens: null, cachedInputTokens: null };
	return { costRub: asNumber(extra.costRub) ?? null, usage: { ...noTokens, ...asObject(extra.usage) } };
}

/** The cost that is reported, else the computed one, as decimal text and as fields of a completion or an error. */
async function costOf(costs: TextCosts, body: JsonObject, { costRub, usage }: Charge) {
	if (costRub !== null) return { rub: String(costRub), fields: { costRub } };
	if (usage.inputTokens === null || usage.outputTokens === null) return undefined;
	const model = await costs.textModels.known(costs.client, body.model);
	const rub = costOfCall(usage, body, model);
	if (rub === undefined) return undefined;
	return { rub, fields: { costRub: Number(rub), costIsComputed: true as const } };
}

async function mostRubOf(
	{ client, textModels }: TextCosts,
	{ format, body }: PlannedText,
	{ label, param }: Limit,
): Promise<string> {
	const model = await textModels.required(client, body.model);
	const most = mostOfCall(format, body, model);
	if ('rub' in most) return most.rub;
	throw new InvalidInputError(
		`What the call to "${asText(body.model) ?? ''}" may cost is unknown, so '${label}' cannot be kept`,
		most.reason,
		param,
	);
}
