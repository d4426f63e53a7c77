import type { GatewayClient } from '../../gateway/client/client';
import type { TextModel } from '../../gateway/endpoints/models';
import { ApiError, asError, InvalidInputError } from '../../gateway/errors/errors';
import { costOfCall, mostOfCall } from '../../gateway/text/cost';
import type { Completion, Usage } from '../../gateway/text/formats/completion';
import type { TextFormat } from '../../gateway/text/formats/format';
import type { OutputRequest } from '../../gateway/text/formats/request';
import { asNumber, asObject, asText, type JsonObject } from '../../gateway/util/json';
import type { Catalogue } from '../catalogue';
import type { CallCost, ExecutionCost } from './executionCost';

/** What counts the cost of text calls. */
export interface TextCosts {
	client: GatewayClient;
	cost: ExecutionCost;
	textModels: Catalogue<TextModel>;
}

/** A text call before it is sent. */
export interface PlannedText {
	format: TextFormat;
	output: OutputRequest;
	/** The body as it is sent; files may still be placeholders. */
	body: JsonObject;
	/** The most that the execution may cost, as decimal text in rubles. */
	limitRub: string | undefined;
}

/** A completion, and the body of its response. */
export interface CompletedText {
	body: JsonObject;
	completion: Completion;
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
): Promise<CompletedText> {
	const { format, output, limitRub } = planned;
	const mostRub = limitRub === undefined ? undefined : await mostRubOf(costs, planned);
	const call = costs.cost.begin({ mostRub, limitRub });
	const computed = async (usage: Usage) => await computedCost(costs, planned.body, usage);
	try {
		const body = await send();
		const completion = format.readCompletion(body, output);
		return { body, completion: await withCost(call, completion, computed) };
	} catch (error) {
		throw await withKnownCost(call, error, computed);
	}
}

const NO_TOKENS: Usage = {
	inputTokens: null,
	outputTokens: null,
	totalTokens: null,
	cachedInputTokens: null,
	reasoningTokens: null,
};

type Computed = (usage: Usage) => Promise<string | undefined>;

/** Decimal text. */
async function computedCost(costs: TextCosts, body: JsonObject, usage: Usage): Promise<string | undefined> {
	if (usage.inputTokens === null || usage.outputTokens === null) return undefined;
	return costOfCall(usage, body, modelOf(await costs.textModels.known(costs.client), body));
}

function modelOf(models: readonly TextModel[], { model }: JsonObject): TextModel | undefined {
	return models.find(({ id }) => id === model);
}

async function withCost(call: CallCost, completion: Completion, computed: Computed): Promise<Completion> {
	if (completion.costRub !== null) {
		call.charged(String(completion.costRub));
		return completion;
	}
	const rub = await computed(completion.usage);
	if (rub === undefined) {
		call.unknown();
		return completion;
	}
	call.charged(rub);
	return { ...completion, costRub: Number(rub), costIsComputed: true };
}

/** Adds the cost to an error about a call that is charged: its `extra` has the tokens. */
async function withKnownCost(call: CallCost, error: unknown, computed: Computed): Promise<Error> {
	const { extra } = error instanceof ApiError ? error.details : {};
	const usage = asObject(extra?.usage);
	if (!(error instanceof ApiError) || !usage) {
		call.failed(error);
		return asError(error);
	}
	const reported = asNumber(extra?.costRub);
	const rub = reported === undefined ? await computed({ ...NO_TOKENS, ...usage }) : String(reported);
	if (rub === undefined) {
		call.failed(error);
		return error;
	}
	call.charged(rub);
	if (reported !== undefined) return error;
	return error.with({ extra: { ...extra, costRub: Number(rub), costIsComputed: true } });
}

async function mostRubOf({ client, textModels }: TextCosts, { format, body }: PlannedText): Promise<string> {
	const most = mostOfCall(format, body, modelOf(await textModels.require(client), body));
	if ('rub' in most) return most.rub;
	throw new InvalidInputError(
		`What the call to "${asText(body.model) ?? ''}" may cost is unknown, so 'Max Cost per Execution (Rubles)' cannot be kept`,
		`Unknown, because ${most.reason}. ${most.hint} Nothing was sent.`,
		'maxCostRub',
	);
}
