import type { GatewayClient } from '../../gateway/client/client';
import type { Catalogue, TextModel } from '../../gateway/endpoints/models';
import { ApiError, asError } from '../../gateway/errors/errors';
import { chargeOf, costOfCharge, mostOfCall, withMaxTokens } from '../../gateway/text/cost';
import type { FilesInBody } from '../../gateway/text/fileTokens';
import type { Completion } from '../../gateway/text/formats/completion';
import type { TextFormat } from '../../gateway/text/formats/format';
import type { OutputRequest } from '../../gateway/text/formats/request';
import { completionHint } from '../../gateway/text/incomplete';
import { asText, type JsonObject } from '../../gateway/util/json';
import type { Hints } from '../../n8n/hints';
import { charge, type Plan } from './charge';
import type { Ledger } from './ledger';
import { costLimit, executionLimit, unknownPrice, type Limit } from './limits';

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
 * body that `send` gets may have a limit of tokens. Throws as {@link charge}.
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
	const call = { model: asText(body.model) ?? '', account: client.account, maxRub };
	const plan = { client, call, item, maxCostRub, signal };
	const model = async () => await textModels.known(client, body.model);
	let fields: { costRub?: number; costIsComputed?: true } | undefined;
	try {
		const { result, rub } = await charge(
			ledger,
			plan,
			async () => {
				const response = await send(body);
				return { body: response, completion: format.readCompletion(response, output) };
			},
			async (ended) => {
				const charged = 'result' in ended ? ended.result.completion : chargeOf(ended.error);
				const cost = await costOfCharge(charged, body, model);
				fields = cost?.fields;
				return { rub: cost?.rub, tokens: charged.usage };
			},
		);
		await rub;
		const hint = completionHint(result.completion, body, format);
		if (hint !== undefined) hints.add(hint);
		return { body: result.body, completion: { ...result.completion, ...fields, hint } };
	} catch (error) {
		if (!(error instanceof ApiError) || !fields) throw asError(error);
		throw error.with({ extra: { ...error.details.extra, ...fields } });
	}
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
