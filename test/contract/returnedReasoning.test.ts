import {
	AIMessage,
	HumanMessage,
	ToolMessage,
	type AIMessageChunk,
	type BaseMessage,
} from '@langchain/core/messages';
import { z } from 'zod';

import type { JsonObject } from '../../nodes/shared/gateway/util/json';
import { supplied } from '../nodes/chatModel/supplied';
import type { LangChainModel } from '../nodes/chatModel/support';
import { locator, useGateway } from './support';

// A model that rejects tool results without the reasoning before the tool call, as an agent uses it.

const gateway = useGateway();
const PATHS = { chat: '/chat/completions', responses: '/responses', messages: '/messages' };
const FORMATS = Object.keys(PATHS) as Array<keyof typeof PATHS>;
const THINKER = 'sandbox/recall-5';

const tool = (name: string) => ({
	name,
	description: 'Counts',
	schema: z.object({ word: z.string() }),
	invoke: () => '',
});

async function modelOf(format: string, model = THINKER, options = {}): Promise<LangChainModel> {
	const { lc } = await supplied({
		baseUrl: gateway.baseUrl,
		apiKey: gateway.apiKey,
		parameters: { format, model: locator(model) },
		options,
	});
	return lc.bindTools([tool('count_words'), tool('count_signs')]);
}

type Ask = (lc: LangChainModel, messages: BaseMessage[]) => Promise<AIMessage>;

const whole: Ask = async (lc, messages) => await lc.invoke(messages);
const streamed: Ask = async (lc, messages) => {
	let all: AIMessageChunk | undefined;
	for await (const chunk of await lc.stream(messages)) all = all ? all.concat(chunk) : chunk;
	if (!all) throw new Error('the stream was empty');
	return all;
};
const ways: Array<[string, Ask]> = [
	['whole', whole],
	['streamed', streamed],
];

const resultsOf = (message: AIMessage) =>
	(message.tool_calls ?? []).map(({ id = '' }) => new ToolMessage({ tool_call_id: id, content: '[7]' }));

/** The messages that an agent makes of a completion and the results of its tool calls. */
type Keep = (message: AIMessage) => BaseMessage[];

const keepWhole: Keep = (message) => [message, ...resultsOf(message)];
/** n8n's agent stores each tool call with its execution, and makes a message of each. */
const keepCalls: Keep = (message) =>
	resultsOf(message).flatMap((result, index) => [
		new AIMessage({
			content: [],
			tool_calls: (message.tool_calls ?? []).slice(index, index + 1),
			additional_kwargs: { reasoning_content: message.additional_kwargs.reasoning_content },
		}),
		result,
	]);
const agents: Array<[string, Keep]> = [
	['the whole message', keepWhole],
	['a message per tool call', keepCalls],
];

/** An agent: runs tools until the model responds. */
async function converse(lc: LangChainModel, prompt: string, ask: Ask, keep: Keep): Promise<AIMessage> {
	const messages: BaseMessage[] = [new HumanMessage(prompt)];
	for (;;) {
		const message = await ask(lc, messages);
		if (!message.tool_calls?.length) return message;
		messages.push(...keep(message));
	}
}

const bodies = (format: keyof typeof PATHS) =>
	gateway.control.requests({ path: PATHS[format] }).map(({ body }) => body.json as JsonObject);

const returnsReasoning = (body: JsonObject) =>
	/"reasoning_details"|"type":"(reasoning|thinking)"/.test(JSON.stringify(body));
const hasReasoning = (body: JsonObject) => returnsReasoning(body) || 'include' in body;

describe.each(FORMATS)('%s', (format) => {
	describe.each(ways)('%s', (_way, ask) => {
		describe.each(agents)('an agent that keeps %s', (_agent, keep) => {
			it('responds after two rounds of tools', async () => {
				const lc = await modelOf(format);
				const message = await converse(lc, 'Please use the tool [[rounds:2]]', ask, keep);
				expect(message.content).toContain('The tool answered: [7] | [7]');
				expect(gateway.charges()).toBe(3);
				expect(bodies(format)).toHaveLength(3);
			});

			it('responds after tools that are called together', async () => {
				const lc = await modelOf(format);
				const message = await converse(lc, 'Please call all tools [[rounds:2]]', ask, keep);
				expect(message.content).toContain('The tool answered: [7] | [7] | [7] | [7]');
				expect(gateway.charges()).toBe(3);
			});
		});
	});

	it('the model of these tests rejects a tool result without its reasoning', async () => {
		const lc = await modelOf(format);
		const keepNothing: Keep = (message) => {
			const { content, tool_calls: calls = [] } = message;
			return [new AIMessage({ content, tool_calls: calls }), ...resultsOf(message)];
		};
		const failure = converse(lc, 'Please use the tool', whole, keepNothing);
		await expect(failure).rejects.toThrow();
		expect(gateway.charges()).toBe(1);
	});

	it('a fallback model is asked without the reasoning of the first', async () => {
		const first = 'sandbox/thinker-3';
		const second = 'sandbox/swift-1';
		gateway.control.addFault({
			match: { path: PATHS[format], model: first, nth: 2 },
			action: { kind: 'error', code: 'no_providers' },
		});
		const lc = await modelOf(format, first, { maxRetries: 0, fallbackModels: [second] });
		await converse(lc, 'Please use the tool', whole, keepWhole);
		expect(bodies(format).map((body) => [body.model, returnsReasoning(body)])).toStrictEqual([
			[first, false],
			[first, true],
			[second, false],
		]);
	});

	it('a fallback model gets its own reasoning back with the results of its tool calls', async () => {
		const first = 'sandbox/swift-1';
		gateway.control.addFault({
			match: { path: PATHS[format], model: first },
			action: { kind: 'error', code: 'no_providers' },
			times: 0,
		});
		const lc = await modelOf(format, first, { maxRetries: 0, fallbackModels: [THINKER] });
		const message = await converse(lc, 'Please use the tool [[rounds:2]]', whole, keepCalls);
		expect(message.content).toContain('The tool answered: [7] | [7]');
		expect(gateway.charges()).toBe(3);
	});

	it('a gateway that rejects returned reasoning is asked once more without it', async () => {
		gateway.control.addFault({
			match: { path: PATHS[format], nth: 2 },
			action: { kind: 'error', code: 'provider_bad_request' },
		});
		const lc = await modelOf(format, 'sandbox/thinker-3');
		const message = await converse(lc, 'Please use the tool', whole, keepCalls);
		expect(message.content).toContain('The tool answered: [7]');
		expect(gateway.charges()).toBe(2);
		expect(bodies(format).map(hasReasoning)).toStrictEqual([format === 'responses', true, false]);
	});
});

test('a model that cannot return encrypted reasoning is asked once without', async () => {
	gateway.control.addFault({
		match: { path: '/responses', nth: 1 },
		action: { kind: 'error', code: 'provider_bad_request' },
	});
	const lc = await modelOf('responses', 'sandbox/swift-1');
	await lc.invoke([new HumanMessage('Hello')]);
	expect(bodies('responses').map(({ include }) => include)).toStrictEqual([
		['reasoning.encrypted_content'],
		undefined,
	]);
	expect(gateway.charges()).toBe(1);
});

test('an input that is too long is not sent again without reasoning', async () => {
	const lc = await modelOf('responses');
	await expect(whole(lc, [new HumanMessage('[[error:context_length_exceeded]]')])).rejects.toThrow();
	expect(bodies('responses')).toHaveLength(1);
});
