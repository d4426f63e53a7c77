import type { GatewayRequest } from '../../../shared/gateway/client/client';
import { ApiError } from '../../../shared/gateway/errors/errors';
import type { Completion } from '../../../shared/gateway/text/formats/completion';
import { textOptions } from '../../../shared/gateway/text/formats/options';
import type { Conversation } from '../../../shared/gateway/text/formats/request';
import { streamText } from '../../../shared/gateway/text/streamText';
import { textCall, type TextCall } from '../../../shared/gateway/text/textCall';
import { withModelHint } from '../../../shared/gateway/text/unknownModel';
import type { JsonObject } from '../../../shared/gateway/util/json';
import { bodyWithFiles } from '../../../shared/n8n/bodyWithFiles';
import { recordTokens } from '../../../shared/n8n/tokenUsage';
import { completeText } from '../../../shared/run/cost/textCall';
import { defineOperation, type ItemContext } from '../../../shared/run/operation';
import { readAttachments, type ReadAttachments } from './attachments';
import { generateOptions, generateParameters } from './fields';
import { readParameters, type GenerateParameters } from './parameters';
import { simplifiedOutputs } from './results';

/** Generates text from a prompt or a conversation (§4.1 to 4.3). */
export const generate = defineOperation({
	displayName: 'Generate',
	action: 'Generate text',
	description: 'Ask a model for text: returns its response, the tokens used and the cost',
	parameters: generateParameters,
	options: generateOptions,
	async execute(item) {
		const parameters = readParameters(item);
		const { format, request } = parameters;
		const attached = await readAttachments(item, parameters);
		const { client, priceClient, run } = item;
		const call = gatewayRequest(parameters, attached);
		const { body, completion } = await completeText(
			{ client, priceClient, cost: run.cost, textModels: run.textModels },
			{ format, output: request.output, body: call.json, limitRub: parameters.maxCostRub },
			async () => await send(item, parameters, call),
		);
		return await afterCharge(completion, async () => {
			recordTokens(item.n8n, completion.usage);
			if (!parameters.simplify && !item.run.isTool) return [{ json: body }];
			return await simplifiedOutputs(item, request, completion, body);
		});
	},
});

function gatewayRequest(
	{ format, request, extraBody }: GenerateParameters,
	{ attachments, files }: ReadAttachments,
): TextCall {
	const conversation = withAttachments(request.conversation, attachments);
	const { json, ...call } = textCall(format, { ...request, conversation }, extraBody);
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
		openBody: async () => await body.open(),
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
	{ format, request }: GenerateParameters,
	call: GatewayRequest,
): Promise<JsonObject> {
	item.journal.requested();
	try {
		if (!request.stream) return await item.client.json(call);
		return await sendStreamed(item, { format, request }, call);
	} catch (error) {
		const known = async () => await item.run.knownTextModels(item.client);
		throw await withModelHint(known, request.model, error, continued(request.options));
	}
}

/** The label of the option that names an earlier response or conversation, if it is set. */
function continued(options: JsonObject): string | undefined {
	if (options.previousResponseId !== undefined) return textOptions.previousResponseId.label;
	return options.conversation === undefined ? undefined : textOptions.conversation.label;
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
		description: `${reason}. The call was charged, so it was not repeated.`,
		delivery: 'responded',
		code: 'result_not_stored',
		retryable: false,
		mayBeCharged: true,
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
	{ format, request }: Pick<GenerateParameters, 'format' | 'request'>,
	call: GatewayRequest,
): Promise<JsonObject> {
	const chunks = item.run.chunkWriter?.forItem(item.index);
	let hasChunks = false;
	const onText = async (text: string) => {
		hasChunks = true;
		await chunks?.write(text);
	};
	let problem: string | undefined = 'The response could not be completed';
	try {
		const body = await streamText(item.client, { format, output: request.output, request: call, onText });
		// A response that was not streamed is written as one chunk.
		if (chunks && !hasChunks) {
			const [choice] = format.readCompletion(body, request.output).choices;
			await chunks.write(choice?.text || (choice?.refusal ?? ''));
		}
		problem = undefined;
		return body;
	} finally {
		await chunks?.end(problem);
	}
}
