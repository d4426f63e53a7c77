import nock from 'nock';

import { catalogue, continueOnFail, envelope, gateway, model, run, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { quickTime } from '../../helpers/time';

// §7.4: the gateway refuses a second creation in a session with 409 while the first one is in progress.

useNock();
quickTime();
beforeEach(() => void catalogue());

const parameters = {
	model,
	inputMode: 'json',
	inputJson: '={{ { prompt: $json.prompt } }}',
	options: { sessionId: '={{ $json.session }}' },
};
const item = (prompt: string, session = '') => ({ json: { prompt, session } });

/** Creates tasks slowly, and records what was requested and the most that ran at once, by session. */
function slowCreations(status: (prompt: string) => number = () => 201) {
	const log: string[] = [];
	const running = new Map<string, number>();
	const most = new Map<string, number>();
	nock('https://gateway.test')
		.persist()
		.post(TASKS)
		.reply(async (_, sent) => {
			const { sessionId = '', input } = sent as { sessionId?: string; input: { prompt: string } };
			log.push(input.prompt);
			const now = (running.get(sessionId) ?? 0) + 1;
			running.set(sessionId, now);
			most.set(sessionId, Math.max(now, most.get(sessionId) ?? 0));
			await new Promise((resolve) => setTimeout(resolve, 1_000));
			running.set(sessionId, (running.get(sessionId) ?? 0) - 1);
			const code = status(input.prompt);
			return [code, code === 201 ? envelope({ taskId: `t-${input.prompt}` }) : envelope(null, code)];
		});
	return { log, most: () => Object.fromEntries(most) };
}

describe('creations with the same session ID', () => {
	it('are sent one at a time, in the order of their items; others run beside them', async () => {
		const { log, most } = slowCreations();
		const items = [item('a', 's'), item('b', 's'), item('c', 's'), item('d', 'r'), item('e'), item('f')];
		const { items: outputs } = await run('create', parameters, { items });
		expect(outputs.map(({ json }) => json.taskId)).toStrictEqual(['t-a', 't-b', 't-c', 't-d', 't-e', 't-f']);
		expect(most()).toStrictEqual({ s: 1, r: 1, '': 2 });
		expect(log.filter((prompt) => 'abc'.includes(prompt))).toStrictEqual(['a', 'b', 'c']);
	});

	it('go on after one that is rejected', async () => {
		const { log } = slowCreations((prompt) => (prompt === 'a' ? 422 : 201));
		const items = [item('a', 's'), item('b', 's')];
		const { items: outputs } = await run('create', parameters, { items, ...continueOnFail });
		expect(outputs.map(({ json }) => json.taskId)).toStrictEqual([undefined, 't-b']);
		expect(log).toStrictEqual(['a', 'b']);
	});

	it('are not sent when another item has failed meanwhile, and nothing says that they may be charged', async () => {
		const { log } = slowCreations(() => 422);
		const items = [item('a', 's'), item('b', 's'), item('c', 's')];
		const { error } = await run('create', parameters, { items });
		expect(error?.httpCode).toBe('422');
		expect(error?.description).not.toMatch(/unknown|may have been charged/);
		expect(log).toStrictEqual(['a']);
	});

	it('do not wait for each other’s results', async () => {
		const { log } = slowCreations();
		gateway()
			.persist()
			.get(/\/tasks\/t-\w$/)
			.reply(() => [200, envelope({ state: log.length === 2 ? 'success' : 'processing', resultJson: '{}' })]);
		const items = [item('a', 's'), item('b', 's')];
		const waiting = { ...parameters, downloadResults: false };
		const { items: outputs, error } = await run('createAndWait', waiting, { items });
		expect(error).toBeUndefined();
		expect(outputs.map(({ json }) => json.state)).toStrictEqual(['success', 'success']);
	});
});
