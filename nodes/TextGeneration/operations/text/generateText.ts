import * as n8nWorkflow from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { GatewayClient } from '../../../shared/gateway/client/client';
import { mostOfCall, withMaxTokens } from '../../../shared/gateway/text/cost';
import { FALLBACK, withFallbacks } from '../../../shared/gateway/text/fallback';
import type { Usage } from '../../../shared/gateway/text/formats/completion';
import { restToShow, streamText } from '../../../shared/gateway/text/streamText';
import { asksForMedia, textBody, textCall, type TextCall } from '../../../shared/gateway/text/textCall';
import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { asText, wireText, type JsonObject } from '../../../shared/gateway/util/json';
import { bodyWithFiles, type EmbeddedFile } from '../../../shared/n8n/bodyWithFiles';
import { completeText } from '../../../shared/run/charge/text';
import {
	defineOperation,
	type ItemContext,
	type ItemInput,
	type OperationOutput,
} from '../../../shared/run/operation';
import { equalNames, fileNames } from '../../../shared/fields/fileName';
import { openAttachments } from './attachments';
import { generateOptions, generateParameters } from './fields';
import { prepareText, type PreparedText } from './parameters';
import { misfitHints, textOutput } from './results';

export const generate = defineOperation({
	displayName: 'Generate',
	action: 'Generate text',
	description: 'Ask a model for text: returns its response, the tokens used and the cost',
	toolDescription:
		'Asks another language model for a text, such as an answer, a summary or a translation. It knows only what the prompt says. Returns the text and the cost in rubles.',
	parameters: generateParameters,
	options: generateOptions,
	plan: async (item) => planText(item, await prepareText(item)),
	execute: generateText,
	...fileNames,
	hintsOf: (outputs, n8n) => [...misfitHints(outputs), ...equalNames(outputs, n8n)],
});

/** Makes the body before anything is sent, unless it needs files. */
export function planText({ run }: ItemInput, text: PreparedText): PreparedText {
	const body = textBody(text.format, text.request, text.extraBody);
	if (run.isTool && asksForMedia(body))
		throw new InvalidInputError(
			'The tool of an agent returns no audio and no images',
			'They would be paid for and lost: remove the options that ask for them. A Gateway Media Task tool returns the URLs of its files.',
			'options',
		);
	return text.attachments.length > 0 ? text : { ...text, body };
}

export async function generateText(item: ItemContext, text: PreparedText): Promise<OperationOutput[]> {
	const { client, run, index } = item;
	const { format, request, extraBody, maxCostRub } = text;
	const opened = text.body ? undefined : await openAttachments(item, request.conversation, text.attachments);
	const { conversation, files } = opened ?? { ...request, files: [] };
	const body = text.body ?? textBody(format, { ...request, conversation }, extraBody);
	const inBody = new Map(files.map(({ placeholder, file }) => [placeholder, file]));
	if (text.isDryRun) {
		const limited = withMaxTokens(format, body);
		const isOpen = limited !== body && maxCostRub === undefined;
		const model = asText(body.model) ?? '';
		const most = mostOfCall(format, limited, await run.textModels.required(client, model), inBody);
		const open = isOpen && 'rub' in most ? { isEstimate: true as const, reason: OPEN_LENGTH } : {};
		return run.dryRun.output(index, model, isOpen ? body : limited, { isMost: true, ...most, ...open });
	}
	const chunks = request.stream ? run.chunkWriter?.forItem(index) : undefined;
	let [shown, isComplete] = ['', false];
	const show = (delta: string) => {
		chunks?.write(delta);
		shown += delta;
	};
	try {
		const { ledger, textModels, records } = run;
		const hints = { add: (hint: string) => records.addHint(index, hint) };
		const costs = { client, ledger, textModels, hints };
		const plan = { format, output: request.output, files: inBody, maxCostRub, item: { index, records } };
		const models = [request.model, ...text.fallbackModels];
		const { result, fallbackFrom } = await withFallbacks(models, async (model, settings) => {
			const asked = model === request.model ? body : { ...body, model };
			return await completeText(costs, { ...plan, body: asked }, async (json) => {
				return await send(client, text, { ...textCall(format, json), ...settings }, files, show);
			});
		});
		isComplete = true;
		if (fallbackFrom.length > 0) records.addHint(index, FALLBACK);
		const completion = { ...result.completion, fallbackFrom };
		if (chunks) show(restToShow(shown, completion));
		addTokenUsage(item.n8n, completion.usage);
		return [await textOutput(item, text, completion, result.body)];
	} finally {
		chunks?.end(isComplete ? undefined : 'The response could not be completed');
	}
}

const OPEN_LENGTH =
	"The price is that of a response of 4,096 tokens. Nothing limits its length: add 'Max Tokens' to know the most that it can cost.";

/** n8n-workflow, which counts tokens from 2.16 on. */
const counter: Pick<typeof n8nWorkflow, 'sleep'> & {
	accumulateTokenUsage?(context: IExecuteFunctions, inputTokens: number, outputTokens: number): void;
} = n8nWorkflow;

function addTokenUsage(context: IExecuteFunctions, { inputTokens, outputTokens }: Usage): void {
	if (inputTokens === null && outputTokens === null) return;
	try {
		counter.accumulateTokenUsage?.(context, inputTokens ?? 0, outputTokens ?? 0);
	} catch {
		// The text is paid for, whether n8n can count it or not.
	}
}

async function send(
	client: GatewayClient,
	{ format, request: { output, stream } }: PreparedText,
	call: TextCall,
	files: readonly EmbeddedFile[],
	onText: (text: string) => void,
): Promise<JsonObject> {
	let request = call;
	if (files.length > 0) {
		const body = bodyWithFiles(wireText(call.json), files);
		const length = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
		const headers = { ...call.headers, ...length };
		request = { ...call, headers, openBody: async () => ({ content: await body.open() }) };
	}
	return await streamText(client, { format, output, request, ...(stream && { onText }) });
}
