import type { GatewayClient } from '../../gateway/client/client';
import type { Catalogue, TextModel } from '../../gateway/endpoints/models';
import { ApiError, asError } from '../../gateway/errors/errors';
import { chargeOf, costOfCharge, mostOfCall } from '../../gateway/text/cost';
import type { FilesInBody } from '../../gateway/text/fileTokens';
import type { Completion } from '../../gateway/text/formats/completion';
import type { TextFormat } from '../../gateway/text/formats/format';
import type { OutputRequest } from '../../gateway/text/formats/request';
import { incompleteHint } from '../../gateway/text/incomplete';
import { asText, type JsonObject } from '../../gateway/util/json';
import { charge, type Plan } from './charge';
import { costLimit, unknownPrice } from './limits';
import type { Spending } from './spending';

/** What the text calls of a run share. */
export interface TextCosts {
	client: GatewayClient;
	spending: Spending;
	textModels: Catalogue<TextModel>;
	/** Shows a text with the node's output. */
	showHint: (text: string) => void;
}

export interface TextPlan extends Pick<Plan, 'item' | 'maxCostRub'> {
	format: TextFormat;
	output: OutputRequest;
	/** The body as it is sent; files may still be placeholders. */
	body: JsonObject;
	/** Those files. */
	files?: FilesInBody;
}

/**
 * Sends a text call. A cost that the response does not report is computed from the account's prices, if the catalogue can be
 * read soon.
 *
 * @param send sends the call and returns the body of its response
 * @throws as {@link charge}
 */
export async function completeText(
	{ client, spending, textModels, showHint }: TextCosts,
	{ format, output, body, files, ...plan }: TextPlan,
	send: () => Promise<JsonObject>,
): Promise<{ body: JsonObject; completion: Completion }> {
	const limit = costLimit(client, plan.maxCostRub);
	const most = limit && mostOfCall(format, body, await textModels.required(client, body.model), files);
	if (most && 'reason' in most)
		throw unknownPrice(`What the call to "${asText(body.model) ?? ''}" may cost`, most.reason, limit);
	const priced = { client, mostRub: most?.rub, because: most?.because };
	let fields: { costRub?: number; costIsComputed?: true } | undefined;
	const call = async () => {
		const response = await send();
		return { body: response, completion: format.readCompletion(response, output) };
	};
	try {
		const { result, rub } = await charge(spending, { ...priced, ...plan }, call, async (ended) => {
			const charged = 'result' in ended ? ended.result.completion : chargeOf(ended.error);
			const cost = await costOfCharge(charged, body, async () => await textModels.known(client, body.model));
			fields = cost?.fields;
			return cost?.rub;
		});
		await rub;
		const hint = incompleteHint(result.completion.choices, body, format);
		if (hint !== undefined) showHint(hint);
		return { body: result.body, completion: { ...result.completion, ...fields, hint } };
	} catch (error) {
		if (!(error instanceof ApiError) || !fields) throw asError(error);
		throw error.with({ extra: { ...error.details.extra, ...fields } });
	}
}
