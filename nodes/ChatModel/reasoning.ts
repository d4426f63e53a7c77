import { randomUUID } from 'node:crypto';
import type { Message } from '@n8n/ai-node-sdk';

import type { Completion } from '../shared/gateway/text/formats/completion';
import type { ReasoningPart } from '../shared/gateway/text/formats/request';
import { objectIn } from '../shared/gateway/util/json';
import { json, number, object, record, records, text } from '../shared/gateway/util/shape';

// Models that reason want their reasoning back with the results of tool calls. n8n's agent stores a tool call with
// its execution and makes a message of each: of our message it keeps only the text `reasoning_content`.

/** The model that a request is for; only it can read its reasoning. */
export interface ReasoningSource {
	/** Name of the API format. */
	format: string;
	/** ID from the catalogue. */
	model: string;
}

/** What agents keep of a completion with tool calls. */
export interface KeptReasoning extends ReasoningSource {
	/** The same in all messages that are made of one completion. */
	id: string;
	/** The text of the completion. */
	text: string;
	parts: ReasoningPart[];
	/** Whether the gateway has rejected reasoning in this conversation. */
	isRejected: boolean;
}

/** What agents are to keep of a completion; `undefined` if that is nothing. */
export function keepReasoning(
	{ choices: [choice] }: Completion,
	{ format, model }: ReasoningSource,
	isRejected: boolean,
): KeptReasoning | undefined {
	const parts = choice?.reasoningParts ?? [];
	if (!choice || choice.toolCalls.length === 0 || (parts.length === 0 && !isRejected)) return undefined;
	return { format, model, id: randomUUID(), text: choice.text, parts, isRejected };
}

/** The field of our text, so that the `reasoning_content` of other models is not taken for it. */
const FIELD = 'aiGatewayReasoning';

/** The text that agents keep. */
export function encodeReasoning(kept: KeptReasoning): string {
	return JSON.stringify({ [FIELD]: kept });
}

const readKept = object({ format: text, model: text, id: text, text, parts: records, isRejected: json });
const readPart = object({ wire: record, callsBefore: number });

/** Reads what {@link encodeReasoning} has written, also parsed; `undefined` for anything else. */
export function decodeReasoning(encoded: unknown): KeptReasoning | undefined {
	const value = objectIn(encoded)?.[FIELD];
	const { format, model, id, text: said = '', parts, isRejected } = readKept(value);
	if (format === undefined || model === undefined || id === undefined) return undefined;
	return {
		format,
		model,
		id,
		text: said,
		parts: parts.flatMap((part) => {
			const { wire, callsBefore = 0 } = readPart(part);
			return wire ? [{ wire, callsBefore }] : [];
		}),
		isRejected: isRejected === true,
	};
}

/** What an agent has kept of the completion that the message is made of. */
export function keptReasoning({ content }: Message): KeptReasoning | undefined {
	return content
		.map((part) => (part.type === 'provider' ? decodeReasoning(part.value) : undefined))
		.find(Boolean);
}

/** Joins the messages of one completion into the first: their tool calls belong together, before all results. */
export function joinCompletions(messages: readonly Message[]): Message[] {
	const known = new Map<string, Message>();
	return messages.flatMap((message) => {
		const id = keptReasoning(message)?.id;
		if (id === undefined) return [message];
		const first = known.get(id);
		if (first) {
			first.content.push(...message.content.filter(({ type }) => type === 'tool-call'));
			return [];
		}
		const copy = { ...message, content: [...message.content] };
		known.set(id, copy);
		return [copy];
	});
}

/** Whether the gateway has rejected the reasoning of this model in this conversation. */
export function rejectsReasoning(messages: readonly Message[], source: ReasoningSource): boolean {
	return messages.some((message) => {
		const kept = keptReasoning(message);
		return kept !== undefined && kept.isRejected && isFrom(kept, source);
	});
}

/** The reasoning of the message, if it is from this model: no other can read it. */
export function reasoningFor(message: Message, source: ReasoningSource): ReasoningPart[] {
	const kept = keptReasoning(message);
	return kept && isFrom(kept, source) ? kept.parts : [];
}

function isFrom(kept: KeptReasoning, { format, model }: ReasoningSource): boolean {
	return kept.format === format && kept.model === model;
}
