import type { Conversation, TextRequest } from '../../../../nodes/shared/gateway/text/formats/request';
import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { bodyOf, JSON_OBJECT, messages, TEXT } from './support';

// Vendors answer 400 to a request for a JSON object without the word "json" in the messages; in Responses, the input.

const LINE = 'Respond with a JSON object.';
const PROMPT = 'Верни объект с полями город и население для Казани';
const user = (text: string) => ({ role: 'user' as const, text });
const said = (content: string, role = 'user') => ({ role, content });

const sent = (format: string, conversation: Conversation, parts: Partial<TextRequest> = {}) => {
	const body = bodyOf(format, { conversation, output: JSON_OBJECT, ...parts });
	return { content: body.messages ?? body.input, instructions: body.instructions };
};

describe('a line asks for a JSON object', () => {
	const asked = `${PROMPT}\n\n${LINE}`;

	it('at the end of the prompt', () => {
		expect(sent('chat', messages(user(PROMPT))).content).toStrictEqual([said(asked)]);
		expect(sent('responses', messages(user(PROMPT))).content).toBe(asked);
	});

	it('at the end of what the user says last, before the results of tools', () => {
		const call = { id: 'c', name: 'look', arguments: '{}' };
		const conversation = messages(
			user('Hi'),
			{ role: 'assistant', text: 'Hello' },
			user(PROMPT),
			{ role: 'assistant', text: '', toolCalls: [call] },
			{ role: 'tool', callId: 'c', text: 'seen' },
		);
		const list = sent('chat', conversation).content as JsonObject[];
		expect(list.map(({ content }) => content)).toStrictEqual(['Hi', 'Hello', asked, null, 'seen']);
	});

	it('Responses: in the input, also where the instructions have the word', () => {
		const system = { role: 'system' as const, text: 'Return JSON' };
		const both = { content: asked, instructions: 'Return JSON' };
		expect(sent('responses', messages(system, user(PROMPT)))).toStrictEqual(both);
	});
});

describe('nothing is added', () => {
	it.each(['Return json', 'Верни JSON-объект', 'A .jsonl file'])('to “%s”', (text) => {
		expect(sent('chat', messages(user(text))).content).toStrictEqual([said(text)]);
		expect(sent('responses', messages(user(text))).content).toBe(text);
	});

	it('to chat messages whose system prompt has the word', () => {
		const system = { role: 'system' as const, text: 'Return JSON' };
		const both = [said('Return JSON', 'system'), said(PROMPT)];
		expect(sent('chat', messages(system, user(PROMPT))).content).toStrictEqual(both);
	});

	it.each(['chat', 'responses'])('to %s messages in the shape of the format', (format) => {
		const wire: Conversation = { kind: 'wire', messages: [said(PROMPT)] };
		expect(sent(format, wire).content).toStrictEqual([said(PROMPT)]);
	});

	it.each<[string, string, Partial<TextRequest>]>([
		['text', 'chat', { output: TEXT }],
		['JSON by a schema', 'chat', { output: { kind: 'jsonSchema', name: 'a', schema: {} } }],
		['the format Messages', 'messages', {}],
	])('for %s', (_, format, parts) => {
		expect(sent(format, messages(user(PROMPT)), parts).content).toStrictEqual([said(PROMPT)]);
	});
});
