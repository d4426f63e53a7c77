import { createRunExecutionData } from 'n8n-workflow';

import { attempt } from '../helpers/attempt';
import { echoGateway, generate, generating, items, errorResponse } from '../helpers/echoGateway';
import type { RunResult } from '../helpers/engine';
import { useNock } from '../helpers/nock';

// Retry On Fail runs the whole node again; items that succeeded are not sent, and paid for, again.

useNock();

const retrying = { retryOnFail: true, waitBetweenTries: 1 };
const retryAndContinue = { ...retrying, onError: 'continueRegularOutput' } as const;
const options = { concurrency: 5 };

/** Lets each prompt fail this often before it succeeds. */
const failTimes = (failures: Record<string, number>) => (prompt: string, call: number) =>
	call <= (failures[prompt] ?? 0) ? errorResponse(400, 'provider_bad_request') : {};

const texts = ({ items: outputs }: RunResult) => outputs.map(({ json }) => json.text ?? 'failed');
const context = ({ run: { data } }: RunResult) => JSON.stringify(data.executionData?.contextData);

describe('three tries, where Max Tries is unset', () => {
	it.each<[string, object, Record<string, number>, string, object]>([
		['keep the results of each', retrying, { p1: 1, p2: 2 }, 'p0 p1 p2', { p0: 1, p1: 2, p2: 3 }],
		['are made while the first item fails', retryAndContinue, { p0: 2 }, 'p0 p1 p2', { p0: 3, p1: 1, p2: 1 }],
		[
			'send only what has failed, also of the others',
			retryAndContinue,
			{ p0: 2, p2: 9 },
			'p0 p1 failed',
			{ p0: 3, p1: 1, p2: 3 },
		],
		// With On Error: Continue, n8n does not run the node again.
		['are not made for other items', retryAndContinue, { p1: 9 }, 'p0 failed p2', { p0: 1, p1: 1, p2: 1 }],
	])('%s, and leave nothing in the execution', async (_, settings, failures, expected, sent) => {
		const { times } = echoGateway(failTimes(failures));
		const result = await generate({ items: items(3), settings, options });
		expect(result.error).toBeUndefined();
		const shown = expected.split(' ').map((text) => (text === 'failed' ? text : `echo ${text}`));
		expect(texts(result)).toStrictEqual(shown);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			[0, 1, 2].map((item) => ({ item })),
		);
		expect(times()).toStrictEqual(sent);
		expect(context(result)).not.toContain('echo');
	});
});

describe('each try', () => {
	it('reads the parameters and settings of the items that it sends again', async () => {
		const variables = { word: 'first', concurrency: '1', retries: '0' };
		const { prompts, load } = echoGateway((prompt) => {
			if (prompt !== 'p2 first') return { delayMs: prompt.endsWith('second') ? 30 : 0 };
			Object.assign(variables, { word: 'second', concurrency: '3', retries: '1' });
			return errorResponse(503, 'service_unavailable');
		});
		const result = await generate({
			items: items(5),
			settings: retrying,
			variables,
			prompt: '={{ $json.text }} {{ $vars.word }}',
			options: { concurrency: '={{ $vars.concurrency }}', maxRetries: '={{ $vars.retries }}' },
		});
		expect(result.error).toBeUndefined();
		// An item keeps the settings that it began with to the end of its try, so it is not sent again.
		expect(prompts()).toStrictEqual([
			'p0 first',
			'p1 first',
			'p2 first',
			'p2 second',
			'p3 second',
			'p4 second',
		]);
		expect(texts(result)).toStrictEqual([
			'echo p0 first',
			'echo p1 first',
			'echo p2 second',
			'echo p3 second',
			'echo p4 second',
		]);
		expect(load.most).toBe(3);
	});
});

describe('the results that a try saves', () => {
	const node = generating({ items: items(2), settings: retrying, options });

	it('may be changed by a later node without changing what is saved', async () => {
		echoGateway(failTimes({ p0: 1 }));
		const execution = createRunExecutionData();
		const options = { ...node, settings: retryAndContinue };
		const [, first] = await attempt(options, { execution });
		delete first?.pairedItem;
		const second = await attempt(options, { execution });
		expect(second.map(({ pairedItem }) => pairedItem)).toStrictEqual([{ item: 0 }, { item: 1 }]);
	});
});

describe('a possible charge', () => {
	const lost = { body: '{"id": "x", "choi' };

	it('is not repeated in any of three tries', async () => {
		const { times } = echoGateway((prompt, call) =>
			prompt === 'p1' ? lost : failTimes({ p0: 2 })(prompt, call),
		);
		const { error } = await generate({ items: items(2), settings: retrying, options });
		expect(error?.message).toBe('The gateway’s response could not be read');
		expect(times()).toStrictEqual({ p0: 1, p1: 1 });
	});
});
