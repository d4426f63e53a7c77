/** Reasoning that a client sends back with its tool results. Only a model with `needsReasoning` asks for it. */
import { createHash } from 'node:crypto';
import { ApiError } from '../errors';
import { isObject } from '../jsonSchema';
import { lastUserIndex } from './reply';
import type { ChatMessage, Completion, ReturnedReasoning, TextCall } from './types';

/** Proves that a reasoning belongs to these tool calls; prefixes of the IDs differ by format. */
export function signatureOf(reasoning: string, callIds: readonly string[]): string {
	const ids = callIds.map((id) => id.replace(/^[a-z]+_/, ''));
	return createHash('sha256')
		.update(JSON.stringify([reasoning, ids]))
		.digest('base64');
}

export function callIdsOf(completion: Completion): string[] {
	return completion.toolCalls.map(({ id }) => id);
}

/** §4.1: what `include: reasoning.encrypted_content` adds to a reasoning item. */
export function encryptedReasoning(completion: Completion): string {
	const { reasoning: text } = completion;
	const content = { text, signature: signatureOf(text, callIdsOf(completion)) };
	return Buffer.from(JSON.stringify(content)).toString('base64');
}

export function readEncrypted(content: unknown): ReturnedReasoning | null {
	if (typeof content !== 'string') return null;
	try {
		const { text, signature } = JSON.parse(Buffer.from(content, 'base64').toString()) as ReturnedReasoning;
		return readSigned(text, signature);
	} catch {
		return null;
	}
}

export function readSigned(text: unknown, signature: unknown): ReturnedReasoning | null {
	return typeof text === 'string' && typeof signature === 'string' ? { text, signature } : null;
}

/** The IDs of tool calls in a list of them. */
export function readIds(calls: unknown, field: string): string[] {
	return (Array.isArray(calls) ? (calls as unknown[]) : []).flatMap((call) => {
		const id = isObject(call) ? call[field] : null;
		return typeof id === 'string' ? [id] : [];
	});
}

/** The tool calls since the user's last message must come with the reasoning before them, as it was. */
export function checkReturnedReasoning(call: TextCall): void {
	for (const group of assistantGroups(call.messages.slice(lastUserIndex(call) + 1))) {
		const callIds = group.flatMap((message) => message.callIds ?? []);
		const returned = group.find((message) => message.returned)?.returned;
		if (callIds.length === 0 || returned?.signature === signatureOf(returned?.text ?? '', callIds)) continue;
		throw new ApiError('provider_bad_request', 'The reasoning before a tool call must be passed back');
	}
}

/** In the responses format a message consists of several items. */
function assistantGroups(messages: readonly ChatMessage[]): ChatMessage[][] {
	const groups: ChatMessage[][] = [];
	messages.forEach((message, index) => {
		if (message.role !== 'assistant') return;
		if (messages[index - 1]?.role === 'assistant') groups.at(-1)?.push(message);
		else groups.push([message]);
	});
	return groups;
}
