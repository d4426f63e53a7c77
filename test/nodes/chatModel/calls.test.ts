import { getEventListeners } from 'node:events';

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { INodeParameters } from 'n8n-workflow';
import nock from 'nock';

import type { FaultAction } from '../../../sandbox/gateway/gateway';
import { useGateway } from '../../contract/support';
import { rejection } from '../../helpers/client';
import { useNock } from '../../helpers/nock';
import { eventually, passTime } from '../../helpers/time';
import { locator } from '../../helpers/values';
import { modelWith } from './mocked';
import { supplied } from './supplied';
import { callOf, eventOf, type LangChainModel, streamed, streamOf, streamUsing, whole } from './support';

const go = [new HumanMessage('[[say:one two three four five]]')];
const GO = new HumanMessage('Go');

type Ask = (lc: LangChainModel, messages?: BaseMessage[]) => Promise<AIMessage>;
const inWhole: Ask = async (lc, messages = [GO]) => await lc.invoke(messages);

async function invoke(lc: LangChainModel, signal?: AbortSignal): Promise<string> {
	return (await lc.invoke(go, signal ? { signal } : {})).text;
}

/** Reads a stream; the text so far is in `texts`. */
async function stream(lc: LangChainModel, signal?: AbortSignal, texts: string[] = []): Promise<string> {
	for await (const { text } of await lc.stream(go, signal ? { signal } : {})) texts.push(text);
	return texts.join('');
}

describe('a call', () => {
	// Calls that are cancelled, or have no usable response, on real sockets.

	const gateway = useGateway();
	const modelAt = async (cancelSignal?: AbortSignal) =>
		await gateway.chatModel(cancelSignal && { cancelSignal });
	const respond = (action: FaultAction) => gateway.control.addFault({ match: { method: 'POST' }, action });
	const sent = () => gateway.control.requests({ method: 'POST' });
	const isGivenUp = () => sent()[0]?.outcome === 'aborted';
	const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
	/** n8n's HTTP client closes the connection of an abandoned stream when the next bytes arrive. */
	const respondSlowly = () => gateway.control.configure({ stream: { deltaDelayMs: 50 } });

	describe.each(['a cancelled execution', 'the signal of an agent'])('%s', (who) => {
		it.each<[string, typeof invoke, FaultAction]>([
			['the wait for a whole response', invoke, { kind: 'hang' }],
			['the wait for a stream', stream, { kind: 'hang' }],
			['a stream that has begun', stream, { kind: 'stream', stream: { stallAfter: 3 } }],
		])('ends %s and its request', async (_, ask, action) => {
			respond(action);
			const reason = new Error('enough');
			const [execution, agent] = [new AbortController(), new AbortController()];
			const { lc, close } = await modelAt(execution.signal);
			const outcome = rejection(ask(lc, agent.signal));
			await eventually(() => sent().length === 1);
			const start = Date.now();
			if (who === 'the signal of an agent') agent.abort(reason);
			else execution.abort();
			const message = expect.stringContaining('cancelled') as string;
			const cancelled = { name: 'NodeOperationError', message };
			expect(await outcome).toMatchObject(execution.signal.aborted ? cancelled : reason);
			await eventually(isGivenUp);
			expect(Date.now() - start).toBeLessThan(1_000);
			await close();
			await eventually(() => listeners(execution.signal) + listeners(agent.signal) === 0);
			expect(sent()).toHaveLength(1);
		});
	});

	describe('the signal of an agent', () => {
		it('ends a stream that has begun, and its request when more bytes arrive', async () => {
			respondSlowly();
			const agent = new AbortController();
			const { lc } = await modelAt();
			const chunks = await lc.stream(go, { signal: agent.signal });
			const read = async () => {
				for await (const { text } of chunks) agent.abort(new Error(`enough of ${text}`));
			};
			expect(await rejection(read())).toStrictEqual(new Error('enough of one'));
			await eventually(isGivenUp);
			await eventually(() => listeners(agent.signal) === 0);
			expect(sent()).toHaveLength(1);
		});

		it('ends the pause before a retry, and nothing is sent again', async () => {
			respond({ kind: 'error', code: 'service_unavailable', retryAfter: 200 });
			const { lc, logged, close } = await modelAt();
			const agent = new AbortController();
			const outcome = rejection(invoke(lc, agent.signal));
			await eventually(() => sent()[0]?.outcome === 'finished');
			agent.abort(new Error('changed my mind'));
			expect(await outcome).toStrictEqual(new Error('changed my mind'));
			await eventually(() => logged().length === 1);
			expect(JSON.stringify(logged())).toContain('changed my mind');
			await close();
			expect(sent()).toHaveLength(1);
		});

		it('has no listener after the response', async () => {
			const agent = new AbortController();
			const execution = new AbortController();
			const { lc, close } = await modelAt(execution.signal);
			expect(listeners(execution.signal)).toBe(1);
			expect(await invoke(lc, agent.signal)).toBe('one two three four five');
			expect(await stream(lc, agent.signal)).toBe('one two three four five');
			await eventually(() => listeners(agent.signal) === 0);
			await eventually(() => listeners(execution.signal) === 1);
			await close();
			expect(listeners(execution.signal)).toBe(0);
		});
	});

	it('whose reader stops early ends when more bytes arrive', async () => {
		respondSlowly();
		const { lc } = await modelAt();
		for await (const { text } of await lc.stream(go)) {
			expect(text).toMatch(/^one/);
			break;
		}
		await eventually(isGivenUp);
		expect(sent()).toHaveLength(1);
	});

	it('whose reader is slow gives all text, and then the error', async () => {
		respond({ kind: 'stream', stream: { missingEnd: true } });
		const { lc } = await modelAt();
		const texts: string[] = [];
		const read = async () => {
			for await (const { text } of await lc.stream(go)) {
				await passTime(20);
				texts.push(text);
			}
		};
		const receivedText = 'one two three four five';
		expect(await rejection(read())).toMatchObject({ context: { details: { receivedText } } });
		expect(texts.join('')).toBe(receivedText);
	});

	const breaks: FaultAction = { kind: 'stream', stream: { cutAfter: 4 } };

	it.each<[string, typeof stream, FaultAction, string, object]>([
		['response is lost', invoke, { kind: 'loseResponse' }, '', {}],
		['stream breaks', stream, breaks, 'one two', { code: 'connection_lost' }],
	])('whose %s is not sent again: it may be charged', async (_, ask, action, text, details) => {
		respond(action);
		const { lc, logged } = await modelAt();
		const texts: string[] = [];
		expect(await rejection(ask(lc, undefined, texts))).toMatchObject({
			name: 'NodeApiError',
			description: expect.stringMatching(/charged/) as string,
			...(text !== '' && { context: { details: { receivedText: texts.join('') } } }),
			cause: { details: { outcome: 'unknown', ...details } },
		});
		expect(texts.join('')).toContain(text);
		expect(sent()).toHaveLength(1);
		expect(logged()).toMatchObject([{ executionStatus: 'error' }]);
	});
});

describe('errors', () => {
	// Errors of the model's settings and messages, and of the gateway, as an agent's user reads them.

	useNock();

	const PATH = '/api/v1/chat/completions';
	const typeOf = (body: string) => (body.startsWith('{') ? 'application/json' : 'text/event-stream');
	const respond = (body: string, status = 200) =>
		nock('https://gateway.test')
			.post(PATH)
			.reply(status, body, { 'content-type': typeOf(body) });

	describe('an invalid setting is rejected when the model is supplied, before anything is sent', () => {
		it.each<[string, INodeParameters, RegExp]>([
			['a temperature of text', { options: { temperature: 'hot' } }, /'Temperature'.*"hot"/],
			['an unknown format', { format: 'telegram' }, /'API Format'.*"telegram"/],
			['no model', { model: locator(' ') }, /'Model' is empty/],
		])('%s', async (_, parameters, message) =>
			expect(await rejection(supplied({ parameters, itemIndex: 2 }))).toMatchObject({
				name: 'NodeOperationError',
				message: expect.stringMatching(message) as string,
				context: { itemIndex: 2 },
			}),
		);
	});

	it('a message that cannot be sent is rejected before anything is sent: an empty file', async () => {
		const { lc } = await supplied();
		const messages = [new HumanMessage({ content: [{ type: 'file', mimeType: 'a/b', data: '' }] })];
		for (const outcome of [lc.invoke(messages), streamed(lc, messages)])
			expect(await rejection(outcome)).toMatchObject({
				name: 'NodeOperationError',
				description: expect.stringContaining('This call was not sent') as string,
				context: { itemIndex: 0 },
			});
	});

	it('a call that is rejected is not charged, which says nothing of the calls before it', async () => {
		respond(whole({ content: 'Hi' }));
		respond(JSON.stringify({ error: { message: 'no', code: 'x' } }), 400);
		const { lc } = await supplied();
		await invoke(lc);
		const { description } = (await rejection(invoke(lc))) as { description: string };
		expect(description).toMatch(/This call was not charged\.$/);
	});

	// report: the error of a JSON Schema that the model does not have names the way out.
	it.each<[string, typeof invoke, object, shown: RegExp]>([
		['whole', invoke, {}, /set 'Output Format' to 'JSON Object'.*not charged\.$/],
		['streamed', stream, {}, /set 'Output Format' to 'JSON Object'.*not charged\.$/],
		['without a schema', invoke, { outputFormat: 'jsonObject' }, /^(?!.*'Output Format').*not charged\.$/],
	])('a model without JSON Schema: %s', async (_, ask, more, shown) => {
		respond(JSON.stringify({ error: { message: 'No schemas', code: 'provider_bad_request' } }), 400);
		const parameters = { outputFormat: 'jsonSchema', jsonSchema: '{ "type": "object" }', ...more };
		const { lc } = await supplied({ parameters });
		expect(await rejection(ask(lc))).toMatchObject({
			message: 'No schemas',
			description: expect.stringMatching(shown) as string,
		});
	});

	const apiKey = 'odd-key-of-an-old-account';
	const error = { message: `no luck for ${apiKey}`, code: apiKey, param: apiKey };
	const call = { id: 'a', function: { name: apiKey, arguments: `no JSON: ${apiKey}` } };

	it.each<[string, typeof invoke, () => unknown, shown: string]>([
		['an error response', invoke, () => respond(JSON.stringify({ error }), 400), '[key]'],
		['the arguments of a tool', invoke, () => respond(whole({ tool_calls: [call] })), '[key]'],
		['a stream', stream, () => respond(eventOf({ error: { message: error.message } })), 'no luck for [key]'],
	])(
		'the API key that %s repeats is neither in the error nor in n8n’s log',
		async (_, ask, answer, shown) => {
			answer();
			const { lc, logged } = await supplied({ apiKey });
			const failure = await rejection(ask(lc));
			expect(failure).toMatchObject({ message: expect.any(String) as string });
			expect(everything(failure)).toContain(shown);
			expect(logged()).toHaveLength(1);
			expect(everything([failure, logged()])).not.toContain(apiKey);
		},
	);

	/** A value as n8n stores it, with the properties of errors that JSON leaves out. */
	function everything(value: unknown): string {
		const seen = new Set<unknown>();
		return JSON.stringify(value, (_, inner: unknown) => {
			if (typeof inner !== 'object' || inner === null) return inner;
			if (seen.has(inner)) return undefined;
			seen.add(inner);
			if (!(inner instanceof Error)) return inner;
			const { message, stack, cause } = inner;
			return { ...inner, message, stack, cause };
		});
	}
});

describe('usage', () => {
	// The model's runs in n8n's log.

	/** What n8n's log has of each run. */
	const runs = (logged: Awaited<ReturnType<typeof supplied>>['logged']) =>
		logged().map(({ data }) => data?.ai_languageModel?.[0]?.[0]?.json);

	useNock();

	const unknownCost = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: null };

	const thinking = { reasoning: 'A greeting' };
	const parts = [thinking, { content: 'H' }, { content: 'i' }];

	it.each<[string, Ask, string, string | null, object]>([
		['whole', inWhole, whole({ content: 'Hi', ...thinking }), 'm', { costRub: 0.5 }],
		['streamed', streamed, streamOf(...parts), null, { costRub: 0.5 }],
		['streamed without a cost', streamed, streamUsing(unknownCost, ...parts), null, {}],
	])(
		'a response that comes %s is logged once, with tokens, cost and thoughts',
		async (_, ask, body, model, cost) => {
			const { lc, logged } = await modelWith(body);
			const { usage_metadata } = await ask(lc);
			expect(usage_metadata).toMatchObject({ input_tokens: 5, output_tokens: 7, total_tokens: 12 });
			const facts = { finish_reason: 'stop', id: 'c1', model, reasoning: 'A greeting' };
			const [{ response, tokenUsage } = {}, ...others] = runs(logged);
			expect(response).toMatchObject({
				generations: [[{ text: 'Hi', generationInfo: { ...facts, ...cost } }]],
			});
			expect(tokenUsage).toStrictEqual({ promptTokens: 5, completionTokens: 7, totalTokens: 12, ...cost });
			expect(others).toStrictEqual([]);
		},
	);
});

describe('messages', () => {
	useNock();

	it('a file is sent through n8n’s SDK, and the message stays as it is', async () => {
		const url = 'data:image/png;base64,iVBORw==';
		const text = { type: 'text', text: 'What is this?' };
		const content = [text, { type: 'image_url', image_url: url }];
		const message = new HumanMessage({ content });
		const { lc, requests } = await modelWith(whole({ content: 'A cat' }));
		await lc.invoke([message]);
		const sent = [text, { type: 'image_url', image_url: { url } }];
		expect(requests[0]?.messages).toStrictEqual([{ role: 'user', content: sent }]);
		expect(message.content).toStrictEqual(content);
	});

	describe.each<[string, (calls: object[]) => string, Ask]>([
		['whole', (calls) => whole({ content: null, tool_calls: calls }, 'tool_calls'), inWhole],
		['streamed', (calls) => streamOf({ tool_calls: calls }), streamed],
	])('tool calls in a response that comes %s', (_, response, ask) => {
		it('get another id where they have none, or that of another call', async () => {
			const earlier = [
				GO,
				new AIMessage({ content: '', tool_calls: [{ id: 'call_0', name: 'one', args: {} }] }),
				new ToolMessage({ tool_call_id: 'call_0', content: '1' }),
			];
			const sent = ['call_0', 'call_1', 'call_1', ''].map((id, n) => callOf(id, 'two', `{"n":${n}}`, n));
			const { lc } = await modelWith(response(sent));
			const { tool_calls: calls = [] } = await ask(lc, earlier);
			const fresh = expect.stringMatching(/^call_[0-9a-f]{32}$/) as string;
			expect(calls).toMatchObject(
				[fresh, 'call_1', fresh, fresh].map((id, n) => ({ id, name: 'two', args: { n } })),
			);
			expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
		});
	});

	test('tool calls in a stream have indices of their own next to the text, by which LangChain’s events distinguish them', async () => {
		const calls = [callOf('a', 'one', '{"n":0}', 0), callOf('b', 'two', '{"n":1}', 1)];
		const { lc } = await modelWith(streamOf({ content: 'H' }, { content: 'm' }, { tool_calls: calls }));
		const message = await lc.streamEvents([GO], {});
		expect(message.text).toBe('Hm');
		expect(message.tool_calls).toMatchObject([
			{ id: 'a', name: 'one', args: { n: 0 } },
			{ id: 'b', name: 'two', args: { n: 1 } },
		]);
	});
});
