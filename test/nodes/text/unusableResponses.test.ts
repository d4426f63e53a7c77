import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { useNock } from '../../helpers/nock';
import { events } from '../../helpers/streams';
import { endpoints, gateway, generate } from './support';

// Responses without a completion, and of others than the gateway: never a success, never requested twice.

useNock();

const PAGE = '<html><head><title>502 Bad Gateway</title></head></html>';
const settings = {
	onError: 'continueRegularOutput' as const,
	retryOnFail: true,
	maxTries: 3,
	waitBetweenTries: 1,
};

/** Runs text: generate with the same response each time; returns the number of requests and the error of the item. */
async function outcomeOf(
	format: string,
	[status, body, type = 'application/json']: [status: number, body: string, type?: string],
	parameters: INodeParameters = {},
) {
	let requests = 0;
	gateway()
		.persist()
		.post(endpoints[format]?.path ?? '')
		.reply(() => {
			requests += 1;
			return [status, body, { 'content-type': type, 'retry-after': '0' }];
		});
	const { items } = await generate({ format, ...parameters }, { settings });
	return { requests, error: items[0]?.json.error as JsonObject | undefined };
}

const empty: Record<string, JsonObject> = {
	chat: { id: 'r1', choices: [], usage: { prompt_tokens: 7, cost_rub: 0.5 } },
	responses: {
		id: 'r1',
		status: 'completed',
		output: [],
		usage: { input_tokens: 7, cost: { total_cost: 0.5 } },
	},
	messages: { id: 'r1', type: 'message', content: [], usage: { input_tokens: 7 } },
};

describe.each(Object.keys(empty))('%s', (format) => {
	it.each([true, false])(
		'a response without output is an error with its cost (simplify: %s)',
		async (simplify) => {
			const { requests, error } = await outcomeOf(format, [200, JSON.stringify(empty[format])], { simplify });
			expect(error).toMatchObject({
				message: 'The model returned nothing',
				code: 'no_completion',
				retryable: false,
				mayBeCharged: true,
				id: 'r1',
				costRub: format === 'messages' ? null : 0.5,
				usage: { inputTokens: 7 },
			});
			expect(requests).toBe(1);
		},
	);

	it('an empty object is an error', async () => {
		const { requests, error } = await outcomeOf(format, [200, '{}']);
		expect(error).toMatchObject({ code: 'no_completion', retryable: false, mayBeCharged: true });
		expect(requests).toBe(1);
	});

	it.each([
		[502, PAGE, false],
		[502, PAGE, true],
		[504, PAGE, false],
		[503, '', false],
		[503, '', true],
	])('the %i of a proxy (%j) is requested once (stream: %s)', async (status, body, stream) => {
		const { requests, error } = await outcomeOf(format, [status, body, 'text/html'], { options: { stream } });
		expect(error).toMatchObject({
			message: 'A server between n8n and the gateway responded in its place',
			httpCode: String(status),
			retryable: false,
			mayBeCharged: true,
		});
		expect(requests).toBe(1);
	});

	it.each([true, false])('the 504 of the gateway is requested once (stream: %s)', async (stream) => {
		const body = JSON.stringify({ error: { type: 'api_error', message: 'Too slow' } });
		const { requests, error } = await outcomeOf(format, [504, body], { options: { stream } });
		expect(error).toMatchObject({
			message: 'The gateway stopped the request after its limit of 300 seconds',
			description: expect.stringMatching(/'Stream'.*15 minutes.*Too slow.*may have been charged/) as string,
			httpCode: '504',
			retryable: false,
			mayBeCharged: true,
		});
		expect(requests).toBe(1);
	});

	it('the 413 of a proxy charges nothing', async () => {
		const { requests, error } = await outcomeOf(format, [413, PAGE, 'text/html']);
		expect(error).toMatchObject({ httpCode: '413', retryable: false });
		expect(error).not.toHaveProperty('mayBeCharged');
		// n8n's Retry On Fail.
		expect(requests).toBe(3);
	});
});

it('a stream without choices is an error with its cost', async () => {
	const text = events({ id: 'r1', object: 'chat.completion.chunk', ...empty.chat }, '[DONE]');
	const { requests, error } = await outcomeOf('chat', [200, text, 'text/event-stream'], {
		options: { stream: true },
	});
	expect(error).toMatchObject({ code: 'no_completion', id: 'r1', costRub: 0.5, mayBeCharged: true });
	expect(requests).toBe(1);
});
