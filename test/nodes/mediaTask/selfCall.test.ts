import nock from 'nock';

import { runNode } from '../../helpers/engine';
import { catalogue, creations, envelope, gateway } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { suspending } from '../../helpers/suspended';
import { eventually, quickTime } from '../../helpers/time';

// A callback before n8n has stored the suspended execution is lost, so the node polls and calls n8n itself. When that call
// fails: test/contract/resume.test.ts.

useNock();
quickTime();

/**
 * Suspends an execution. The task has these states at each poll, and n8n responds with these statuses to each call.
 * Returns states and statuses in the order in which they occur.
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
	// The poll before the execution is suspended.
	expect(events.splice(0, 1)).toStrictEqual(['processing']);
	return events;
}

const running = ['processing'];

describe('after the execution is suspended', () => {
	it('its task is polled, and n8n is called once when it has ended', async () => {
		const events = await suspended([...running, 'processing', 'success'], [200]);
		await eventually(() => events.includes('200'));
		expect(events).toStrictEqual(['processing', 'success', '200']);
	});

	it.each([409, 300])('n8n is called again when it does not accept the call: %i', async (status) => {
		const events = await suspended([...running], [status, 299]);
		await eventually(() => events.includes('299'));
		expect(events).toStrictEqual(['success', String(status), 'success', '299']);
	});

	it('n8n is not called for a pending task, whose callback is still to come', async () => {
		const events = await suspended([...running, ...Array<string>(3).fill('processing')], []);
		await eventually(() => events.length === 3);
		expect(events).toStrictEqual(['processing', 'processing', 'processing']);
	});
});
