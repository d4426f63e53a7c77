import { HumanMessage } from '@langchain/core/messages';

import { rejection } from '../../helpers/client';
import {
	breakOff,
	localGateway,
	sendEvents,
	sendJson,
	supplied,
	type LocalGateway,
	type Received,
} from './supplied';
import { deltaOf, eventOf } from './support';

// Calls without a usable response that may be charged, on real sockets.

const go = [new HumanMessage('Go')];
const error = (code: string) => JSON.stringify({ error: { message: 'no luck', type: 'server_error', code } });
const ended = eventOf({ id: 'c1', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const usage = eventOf({
	id: 'c1',
	choices: [],
	usage: { prompt_tokens: 1, completion_tokens: 2, cost_rub: 0.5 },
});
const errorFrame = eventOf({ error: { message: 'the model broke', type: 'server_error' } });

let gateway: LocalGateway;
afterEach(async () => await gateway.close());

async function modelAt(respond: (request: Received, earlier: number) => void) {
	gateway = await localGateway(respond);
	return await supplied({ baseUrl: gateway.baseUrl });
}

describe('a whole response', () => {
	it.each<[string, (request: Received) => void]>([
		['that is lost', breakOff],
		['that is not JSON', (request) => sendJson(request, 200, '<html>Welcome</html>')],
		['without a completion', (request) => sendJson(request, 200, '{"choices":[]}')],
	])('%s is not requested again, and the error says that it may be charged', async (_, respond) => {
		const { lc, logged } = await modelAt(respond);
		expect(await rejection(lc.invoke(go))).toMatchObject({
			name: 'NodeApiError',
			description: expect.stringMatching(/charged/) as string,
			cause: { details: { outcome: 'unknown' } },
		});
		expect(gateway.received).toHaveLength(1);
		expect(logged()).toMatchObject([{ executionStatus: 'error' }]);
	});
});

describe('a stream', () => {
	/** The text that arrives before the stream fails, and the error. */
	async function readAll(respond: (request: Received, earlier: number) => void) {
		const { lc } = await modelAt(respond);
		const texts: string[] = [];
		const read = async () => {
			for await (const { text } of await lc.stream(go)) texts.push(text);
		};
		const failure = await rejection(read());
		return { text: texts.join(''), failure };
	}

	it.each<[string, string, (request: Received) => void, string, string]>([
		['breaks', deltaOf({ content: 'Half' }), breakOff, 'Half', 'connection_lost'],
		['ends before any text', ': hello\n\n', ({ response }) => response.end(), '', 'stream_incomplete'],
		[
			'reports an error after the finish reason',
			deltaOf({ content: 'All' }) + ended + errorFrame,
			({ response }) => response.end(),
			'All',
			'generation_failed',
		],
	])('that %s is not requested again, and returns the text so far', async (_, events, end, text, code) => {
		const outcome = await readAll((request) => {
			sendEvents(request, events);
			end(request);
		});
		expect(outcome.text).toBe(text);
		expect(outcome.failure).toMatchObject({
			name: 'NodeApiError',
			description: expect.stringMatching(/charged/) as string,
			context: { details: { receivedText: text } },
			cause: { details: { code, outcome: 'unknown' } },
		});
		expect(gateway.received).toHaveLength(1);
	});

	it('is complete when the connection breaks after the cost', async () => {
		const { lc } = await modelAt((request) => {
			sendEvents(request, deltaOf({ content: 'All' }) + ended + usage);
			breakOff(request);
		});
		const texts: string[] = [];
		for await (const { text } of await lc.stream(go)) texts.push(text);
		expect(texts.join('')).toBe('All');
	});

	it('with an error status before it begins is requested again', async () => {
		const { lc } = await modelAt((request, earlier) => {
			if (earlier === 0) return sendJson(request, 429, error('rate_limit'));
			sendEvents(request, `${deltaOf({ content: 'Hi' })}${ended}data: [DONE]\n\n`);
			request.response.end();
		});
		const texts: string[] = [];
		for await (const { text } of await lc.stream(go)) texts.push(text);
		expect(texts.join('')).toBe('Hi');
		expect(gateway.received.map(({ body }) => body.stream)).toStrictEqual([true, true]);
	});
});
