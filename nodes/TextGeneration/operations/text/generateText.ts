import { modelsOf } from '../../../shared/fields/textRequest';
import { ApiError } from '../../../shared/gateway/errors/errors';
import type { Completion } from '../../../shared/gateway/text/formats/completion';
import { mostOfCall } from '../../../shared/gateway/text/cost';
import { withFallbacks } from '../../../shared/gateway/text/fallback';
import type { Conversation } from '../../../shared/gateway/text/formats/request';
import { streamText } from '../../../shared/gateway/text/streamText';
import { textCall, type TextCall } from '../../../shared/gateway/text/textCall';
import { withModelHint } from '../../../shared/gateway/text/unknownModel';
import { asText, type JsonObject } from '../../../shared/gateway/util/json';
import { bodyWithFiles } from '../../../shared/n8n/bodyWithFiles';
import { addTokenUsage } from '../../../shared/n8n/features';
import type { ItemChunkWriter } from '../../../shared/run/chunkWriter';
import { costLimit } from '../../../shared/run/cost/minBalance';
import { completeText, type CompletedText } from '../../../shared/run/cost/textCall';
import type { ItemContext, OperationOutput } from '../../../shared/run/operation';
import { readAttachments, type ReadAttachments } from './attachments';
import type { PreparedText } from './parameters';
import { simplifiedOutputs } from './results';

/**
 * Sends the request of an item, and makes its outputs.
 *
 * @throws {InvalidInputError} before anything is sent
 * @throws {ApiError} for a call that fails
 */
export async function generateText(item: ItemContext, prepared: PreparedText): Promise<OperationOutput[]> {
	const { request } = prepared;
	const known = async () => await item.run.textModels.known(item.client);
	const models = await modelsOf(request.model, prepared.fallbackModels, known);
	const attached = await readAttachments(item, prepared);
	if (prepared.isDryRun)
		return await notSent(item, prepared, gatewayRequest(item, prepared, attached, request.model));
	const chat: StreamedChat = {};
	try {
		const { result, fallbackFrom } = await withFallbacks(models, async (model) => {
			const call = gatewayRequest(item, prepared, attached, model);
			return await complete(item, prepared, { ...call, isFallback: model !== request.model }, chat);
		});
		const completion = { ...result.completion, fallbackFrom };
		return await afterCharge(completion, async () => {
			addTokenUsage(item.n8n, completion.usage);
			if (completion.hint !== undefined) item.run.hints.add(completion.hint);
			if (!prepared.simplify && !item.run.isTool) return [{ json: result.body }];
			return await simplifiedOutputs(item, request, completion, result.body);
		});
	} finally {
		chat.chunks?.end(chat.problem);
	}
}

/** The output of a dry run: the request, with placeholders for files, and the most that it can cost. */
async function notSent({ run, client }: ItemContext, { format }: PreparedText, { json }: TextCall) {
	const model = asText(json.model) ?? '';
	const known = await run.textModels.known(client);
	const most = mostOfCall(
		format,
		json,
		known.find(({ id }) => id === model),
	);
	return run.dryRun.output(model, json, { isMost: true, ...most });
}

/** What the workflow's chat or webhook shows of an item. */
interface StreamedChat {
	chunks?: ItemChunkWriter | undefined;
	/** Why it is incomplete. */
	problem?: string | undefined;
}

async function complete(
	item: ItemContext,
	prepared: PreparedText,
	call: TextCall,
	chat: StreamedChat,
): Promise<CompletedText> {
	const { client, run } = item;
	const { format, request, maxCostRub: limitRub } = prepared;
	return await completeText(
		{ client, cost: run.cost, textModels: run.textModels },
		{ format, output: request.output, body: call.json, limitRub },
		async () => await send(item, prepared, call, chat),
	);
}

/** @param model replaces the model of the request, if it is another one */
function gatewayRequest(
	{ client }: ItemContext,
	{ format, request, extraBody, maxCostRub }: PreparedText,
	{ attachments, files }: ReadAttachments,
	model: string,
): TextCall {
	const conversation = withAttachments(request.conversation, attachments);
	const extra = model === request.model ? extraBody : { ...extraBody, model };
	const asked = { ...request, conversation };
	const { json, ...call } = textCall(format, asked, extra, costLimit(client, maxCostRub) !== undefined);
	if (files.length === 0) return { ...call, json };
	const body = bodyWithFiles(JSON.stringify(json), files);
	return {
		...call,
		json,
		headers: {
			...call.headers,
			'Content-Type': 'application/json',
			'Content-Length': String(body.length),
		},
		openBody: async () => ({ content: await body.open() }),
	};
}

function withAttachments(
	conversation: Conversation,
	attachments: ReadAttachments['attachments'],
): Conversation {
	if (conversation.kind !== 'messages' || attachments.size === 0) return conversation;
	return {
		kind: 'messages',
		messages: conversation.messages.map((message, index) => {
			const own = attachments.get(index);
			return own && message.role !== 'tool' ? { ...message, attachments: own } : message;
		}),
	};
}

async function send(
	item: ItemContext,
	prepared: PreparedText,
	call: TextCall,
	chat: StreamedChat,
): Promise<JsonObject> {
	item.journal.requested(item.index);
	try {
		if (!prepared.request.stream) return await item.client.json(call);
		return await sendStreamed(item, prepared, call, chat);
	} catch (error) {
		const known = async () => await item.run.textModels.known(item.client);
		throw await withModelHint(known, asText(call.json.model) ?? '', error);
	}
}

/** An error after the completion must neither lose it nor repeat the request, which was charged. */
async function afterCharge<T>(completion: Completion, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw error instanceof ApiError ? error : notStoredError(completion, error);
	}
}

function notStoredError(completion: Completion, error: unknown): ApiError {
	const reason = error instanceof Error ? error.message : String(error);
	return new ApiError({
		message: 'The response could not be stored in n8n',
		description: `${reason}.`,
		outcome: 'charged',
		code: 'result_not_stored',
		retryable: false,
		extra: {
			id: completion.id,
			text: completion.choices.map(({ text }) => text).join('\n'),
			costRub: completion.costRub,
			...(completion.costIsComputed ? { costIsComputed: true } : {}),
		},
	});
}

/** Streams the response to the workflow's chat or webhook. */
async function sendStreamed(
	item: ItemContext,
	{ format, request }: Pick<PreparedText, 'format' | 'request'>,
	call: TextCall,
	chat: StreamedChat,
): Promise<JsonObject> {
	chat.chunks ??= item.run.chunkWriter?.forItem(item.index);
	chat.problem = 'The response could not be completed';
	const { chunks } = chat;
	let hasChunks = false;
	const onText = (text: string) => {
		hasChunks = true;
		chunks?.write(text);
	};
	const body = await streamText(item.client, { format, output: request.output, request: call, onText });
	// A response that was not streamed is written as one chunk.
	if (chunks && !hasChunks) {
		const [choice] = format.readCompletion(body, request.output).choices;
		chunks.write(choice?.text || (choice?.refusal ?? ''));
	}
	chat.problem = undefined;
	return body;
}
