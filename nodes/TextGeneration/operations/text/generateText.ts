import { mostOfCall } from '../../../shared/gateway/text/cost';
import { withFallbacks } from '../../../shared/gateway/text/fallback';
import { streamText } from '../../../shared/gateway/text/streamText';
import { textCall, type TextCall } from '../../../shared/gateway/text/textCall';
import { asText, type JsonObject } from '../../../shared/gateway/util/json';
import { bodyWithFiles } from '../../../shared/n8n/bodyWithFiles';
import { addTokenUsage } from '../../../shared/n8n/features';
import type { ItemChunkWriter } from '../../../shared/run/chunkWriter';
import { costLimit } from '../../../shared/run/cost/executionCost';
import { completeText } from '../../../shared/run/cost/textCall';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import { readAttachments } from './attachments';
import type { PreparedText } from './parameters';
import { outputsOf } from './results';

/**
 * Sends the request of an item, and makes its outputs.
 *
 * @throws {InvalidInputError} before anything is sent
 * @throws {ApiError} for a call that fails
 */
export async function generateText(item: ItemContext, prepared: PreparedText): Promise<OperationOutput[]> {
	const { client, run } = item;
	const { format, request } = prepared;
	const { dryRun, fallbackModels = [], maxCostRub: limitRub } = prepared.options;
	const attached = await readAttachments(item, prepared);
	if (dryRun) return await notSent(item, prepared, gatewayRequest(item, prepared, attached, request.model));
	const chunks = request.stream ? run.chunkWriter?.forItem(item.index) : undefined;
	let isComplete = false;
	try {
		const models = [request.model, ...fallbackModels];
		const { result, fallbackFrom } = await withFallbacks(models, async (model) => {
			const call = gatewayRequest(item, prepared, attached, model);
			return await completeText(
				{ client, cost: run.cost, textModels: run.textModels, showHint: (text) => run.hints.add(text) },
				{ format, output: request.output, body: call.json, limitRub },
				async () => await send(item, prepared, { ...call, isFallback: model !== request.model }, chunks),
			);
		});
		isComplete = true;
		const completion = { ...result.completion, fallbackFrom };
		addTokenUsage(item.n8n, completion.usage);
		return await outputsOf(item, prepared, completion, result.body);
	} finally {
		chunks?.end(isComplete ? undefined : 'The response could not be completed');
	}
}

/** The output of a dry run: the request, with placeholders for files, and the most that it can cost. */
async function notSent({ run, client }: ItemContext, { format }: PreparedText, { json }: TextCall) {
	const model = asText(json.model) ?? '';
	const most = mostOfCall(format, json, await run.textModels.required(client, model));
	return run.dryRun.output(model, json, { isMost: true, ...most });
}

/** @param model replaces the model of the request, if it is another one */
function gatewayRequest(
	{ client }: ItemContext,
	{ format, request, extraBody, options: { maxCostRub } }: PreparedText,
	{ conversation, files }: Awaited<ReturnType<typeof readAttachments>>,
	model: string,
): TextCall {
	const extra = model === request.model ? extraBody : { ...extraBody, model };
	const hasLimit = costLimit(client, maxCostRub) !== undefined;
	const call = textCall(format, { ...request, conversation }, extra, hasLimit);
	if (files.length === 0) return call;
	const body = bodyWithFiles(JSON.stringify(call.json), files);
	return {
		...call,
		headers: {
			...call.headers,
			'Content-Type': 'application/json',
			'Content-Length': String(body.length),
		},
		openBody: async () => ({ content: await body.open() }),
	};
}

/** Sends a call; streams its response to the workflow's chat or webhook. */
async function send(
	item: ItemContext,
	{ format, request: { output, stream } }: PreparedText,
	call: TextCall,
	chunks: ItemChunkWriter | undefined,
): Promise<JsonObject> {
	item.journal.note(item.index, {});
	if (!stream) return await item.client.json(call);
	let hasChunks = false;
	const onText = (text: string) => {
		hasChunks = true;
		chunks?.write(text);
	};
	const body = await streamText(item.client, { format, output, request: call, onText });
	// A response that was not streamed is written as one chunk.
	if (chunks && !hasChunks) {
		const [choice] = format.readCompletion(body, output).choices;
		chunks.write(choice?.text || (choice?.refusal ?? ''));
	}
	return body;
}
