import nock from 'nock';

import { echoGateway, generate, items } from '../helpers/echoGateway';
import { envelope, model, run, TASKS } from '../helpers/media';
import { useNock } from '../helpers/nock';

useNock();

describe('the key, and the address that resumes an execution', () => {
	it('are in no error of a task, whatever the gateway repeats', async () => {
		let secret = '';
		nock('https://gateway.test')
			.post(TASKS)
			.reply((_, body) => {
				const { callBackUrl } = body as { callBackUrl: string };
				secret = [...new URL(callBackUrl).searchParams.values()].find((value) => value.length > 8) ?? '';
				return [400, envelope(null, 400, `no luck at ${callBackUrl} with odd-secret-key`)];
			});
		const { error, run: execution } = await run(
			'createAndWait',
			{ model, inputMode: 'json', inputJson: '={{ { prompt: $json.text } }}', waitStrategy: 'suspend' },
			{ items: items(1), credential: { baseUrl: 'https://gateway.test/api/v1', apiKey: 'odd-secret-key' } },
		);
		expect(secret).not.toBe('');
		expect(error?.description).toContain('no luck');
		for (const hidden of [secret, 'odd-secret-key']) {
			expect(JSON.stringify([error, execution.data.resultData])).not.toContain(hidden);
		}
	});

	it('are in no error, also where a long message is cut in the middle of them', async () => {
		const apiKey = 'odd-secret-key-of-an-old-account';
		const credential = { baseUrl: 'https://gateway.test/api/v1', apiKey };
		const shown: string[] = [];
		for (let length = 560; length < 600; length += 4) {
			echoGateway(() => ({ status: 400, body: { error: { message: `${'x'.repeat(length)}${apiKey}` } } }));
			const { error } = await generate({ items: items(1), credential });
			shown.push(error?.description ?? '');
			nock.cleanAll();
		}
		expect(shown.filter((description) => description.includes('xxx'))).toHaveLength(10);
		expect(shown.filter((description) => description.includes('odd-'))).toStrictEqual([]);
	});
});
