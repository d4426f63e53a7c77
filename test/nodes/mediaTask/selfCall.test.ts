import nock from 'nock';

import { runNode } from '../../helpers/engine';
import { catalogue, creations, envelope, gateway } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { suspending } from '../../helpers/suspended';
import { eventually, quickTime } from '../../helpers/time';

// A callback that comes before n8n has stored the suspended execution is lost: the node makes up for it. A call of its own
// that fails: test/contract/wakeUp.test.ts.

useNock();
quickTime();

/**
 * Suspends an execution whose task reads so at each poll, and whose n8n responds so to each call; gives what happened in
 * which order.
 */
async function suspended(states: string[], statuses: number[]): Promise<string[]> {
	const events: string[] = [];
	catalogue();
	creations();
	gateway()
		.persist()
		.get(/\/tasks\/t1$/)
		.reply(() => {
			const state = states.shift() ?? 'success';
			events.push(state);
			return [200, envelope({ taskId: 't1', state })];
		});
	for (const status of statuses) {
		nock('https://n8n.test')
			.post(/media-task\?signature=\w+&item=0$/)
			.reply(() => {
				events.push(String(status));
				return [status, {}];
			});
	}
	const { run } = await runNode(suspending());
	expect(run.status).toBe('waiting');
	// The two polls before the execution is suspended.
	expect(events.splice(0, 2)).toStrictEqual(['processing', 'processing']);
	return events;
}

const running = ['processing', 'processing'];

describe('after the execution is suspended', () => {
	it('its task is polled, and n8n is called once when it has ended', async () => {
		const events = await suspended([...running, 'processing', 'success'], [200]);
		await eventually(() => events.includes('200'));
		expect(events).toStrictEqual(['processing', 'success', '200']);
	});

	it('a failed task is one that has ended', async () => {
		const events = await suspended([...running, 'fail'], [200]);
		await eventually(() => events.includes('200'));
		expect(events).toStrictEqual(['fail', '200']);
	});

	it.each([409, 300])('n8n is called again when it has not taken the call: %i', async (status) => {
		const events = await suspended([...running], [status, 299]);
		await eventually(() => events.includes('299'));
		expect(events).toStrictEqual(['success', String(status), 'success', '299']);
	});

	it('n8n is not called for a task that goes on; its callback is still to come', async () => {
		const events = await suspended([...running, ...Array<string>(3).fill('processing')], []);
		await eventually(() => events.length === 3);
		expect(events).toStrictEqual(['processing', 'processing', 'processing']);
	});
});
