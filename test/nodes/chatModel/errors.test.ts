import { HumanMessage } from '@langchain/core/messages';
import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import { rejection } from '../../helpers/client';
import { useNock } from '../../helpers/nock';
import { supplied } from './supplied';
import { eventOf } from './support';

// Errors of the model's settings and messages, and of the gateway, as an agent's user reads them.

useNock();

const go = [new HumanMessage('Go')];
const gateway = () => nock('https://gateway.test');

type Lc = Awaited<ReturnType<typeof supplied>>['lc'];
const invoke = async (lc: Lc, ...messages: HumanMessage[]) => await lc.invoke(messages);
const stream = async (lc: Lc, ...messages: HumanMessage[]) => {
	for await (const chunk of await lc.stream(messages)) void chunk;
};

it.each(['whole', 'streamed'])(
	'an error inside a choice (%s) is one, with the text so far and its cost',
	async (kind) => {
		const end = { finish_reason: 'error', error: { code: 502, message: 'Upstream idle timeout exceeded' } };
		const usage = { prompt_tokens: 9, completion_tokens: 12, cost_rub: 0.5 };
		const choices = [{ index: 0, message: { content: 'Dear customers,' }, ...end }];
		const chunks = [
			{ choices: [{ index: 0, delta: { content: 'Dear customers,' } }] },
			{ choices: [{ index: 0, delta: {}, ...end }] },
			{ choices: [], usage },
		];
		const isWhole = kind === 'whole';
		gateway()
			.post('/api/v1/chat/completions')
			.reply(200, isWhole ? JSON.stringify({ choices, usage }) : chunks.map(eventOf).join(''), {
				'content-type': isWhole ? 'application/json' : 'text/event-stream',
			});
		const { lc } = await supplied();
		const says = /Upstream idle timeout.*Received so far: “Dear customers,”.*cost ₽0\.50/s;
		expect(await rejection(isWhole ? invoke(lc, ...go) : stream(lc, ...go))).toMatchObject({
			message: 'The model did not finish its response',
			description: expect.stringMatching(says) as string,
		});
	},
);

describe('an invalid setting is rejected when the model is supplied, before anything is sent', () => {
	it.each<[string, INodeParameters, RegExp]>([
		['a temperature of text', { options: { temperature: 'hot' } }, /'Temperature'.*"hot"/],
		['an extra body with stream', { options: { extraBody: '{"stream":false}' } }, /'stream'/],
		['an unknown format', { format: 'telegram' }, /'API Format'.*"telegram"/],
		['no model', { model: { __rl: true, mode: 'id', value: ' ' } }, /'Model' is empty/],
	])('%s', async (_, parameters, message) =>
		expect(await rejection(supplied({ parameters }))).toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringMatching(message) as string,
			context: { itemIndex: 0 },
		}),
	);

	it('a base URL that is not a URL', async () =>
		expect(await rejection(supplied({ baseUrl: 'gateway' }))).toMatchObject({
			message: expect.stringContaining('base URL') as string,
		}));
});

describe('a message that cannot be sent is rejected before anything is sent', () => {
	it.each([invoke, stream])('an empty file', async (ask) => {
		const { lc } = await supplied();
		const message = new HumanMessage({ content: [{ type: 'file', mimeType: 'a/b', data: '' }] });
		expect(await rejection(ask(lc, message))).toMatchObject({
			name: 'NodeOperationError',
			description: expect.stringContaining('Nothing was sent') as string,
			context: { itemIndex: 0 },
		});
	});
});

describe('the API key', () => {
	const apiKey = 'odd-key-of-an-old-account';

	it.each<[string, number, unknown]>([
		['an error response', 400, { error: { message: `no luck for ${apiKey}`, code: apiKey, param: apiKey } }],
		['an error in a successful response', 200, { error: { message: `no luck for ${apiKey}`, code: apiKey } }],
		[
			'the arguments of a tool',
			200,
			{
				choices: [
					{
						message: {
							tool_calls: [{ id: 'a', function: { name: apiKey, arguments: `no JSON: ${apiKey}` } }],
						},
					},
				],
			},
		],
	])('that %s repeats is neither in the error nor in n8n’s log', async (_, status, body) => {
		gateway().post('/api/v1/chat/completions').reply(status, JSON.stringify(body));
		const { lc, logged } = await supplied({ apiKey });
		const error = await rejection(lc.invoke(go));
		expect(error).toMatchObject({ message: expect.any(String) as string });
		expect(everything(error)).toContain('[key]');
		expect(everything(error)).not.toContain(apiKey);
		expect(logged()).toHaveLength(1);
		expect(everything(logged())).not.toContain(apiKey);
	});

	it('that a stream repeats is not in the error', async () => {
		gateway()
			.post('/api/v1/chat/completions')
			.reply(200, eventOf({ error: { message: `no luck for ${apiKey}` } }), {
				'Content-Type': 'text/event-stream',
			});
		const { lc, logged } = await supplied({ apiKey });
		const error = await rejection(stream(lc, ...go));
		expect(everything(error)).toContain('no luck for [key]');
		expect(everything([error, logged()])).not.toContain(apiKey);
	});

	it('is not in the error of a connection that fails', async () => {
		gateway().post('/api/v1/chat/completions').replyWithError(`no luck for ${apiKey}`);
		const { lc, logged } = await supplied({ apiKey });
		const error = await rejection(lc.invoke(go));
		expect(error).toMatchObject({ cause: { details: { outcome: 'unknown' } } });
		expect(everything([error, logged()])).not.toContain(apiKey);
	});
});

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
