import { setTimeout as sleep } from 'node:timers/promises';

import { resultOf, waitForExecution } from '../../sandbox/n8n/executions';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { eventually } from './support/eventually';
import { call, listening, publishTrigger, type PublishedTrigger } from './support/mediaTrigger';
import { pictures, suspendExecution, type Suspended } from './support/suspended';
import { Wallet } from './support/wallet';

// What n8n was in the middle of when it was killed goes on when it is started again.

let environment: OwnEnvironment;
let suspended: Suspended;
/** The balance trigger has told of a low balance; in the second wallet, it has risen again since. */
let told: Wallet;
let risen: Wallet;
/** A media trigger that a task has started, and one whose call was not answered. */
let started: PublishedTrigger;
let unanswered: PublishedTrigger;
let ended: string;
let answer: unknown;

useOwnEnvironment((own) => (environment = own), {
	gateway: { settings: { taskDuration: { image: 600_000 } } },
});

const executions = async ({ workflow }: { workflow: { id: string } }) =>
	await environment.client.listExecutions(workflow.id);
const finished = async (trigger: PublishedTrigger, count: number) => {
	await eventually(async () => expect(await executions(trigger)).toHaveLength(count), 30_000);
	for (const { id } of await executions(trigger)) await waitForExecution(environment.client, id);
};

beforeAll(async () => {
	const { control } = environment.gateway;
	const below = { fireOn: 'below', threshold: 100 };
	told = await Wallet.watched(environment, below, '50.00');
	risen = await Wallet.watched(environment, below, '50.00');
	await risen.set('150.00');
	await risen.told();
	suspended = await suspendExecution(environment, pictures(['a cat', 'a dog']));
	[ended = ''] = suspended.tasks;
	await control.finishTask(ended);
	started = await publishTrigger(environment, { downloadResults: false });
	unanswered = await publishTrigger(environment, { downloadResults: false });
	await call(started.url, { taskId: ended });
	await finished(started, 1);

	const polls = () => control.requests({ method: 'GET', path: `/async/media/tasks/${ended}` }).length;
	const before = polls();
	control.configure({ latency: { mediaStatus: 60_000 } });
	const calling = call(unanswered.url, { taskId: ended }).catch(() => 'none');
	while (polls() === before) await sleep(20);
	environment.server.kill();
	answer = await calling;
	control.configure({ latency: {} });
	await environment.restart();
}, 300_000);

test('a suspended execution resumes when its last task ends', async () => {
	const { client, gateway } = environment;
	expect((await client.readExecution(suspended.executionId)).status).toBe('waiting');
	await gateway.control.finishTask(suspended.tasks[1] ?? '');
	const result = resultOf(await waitForExecution(client, suspended.executionId));
	expect(result.status).toBe('success');
	expect(result.nodes['After']?.items.map(({ json }) => json['taskId'])).toStrictEqual(suspended.tasks);
	expect(Object.keys(result.nodes['After']?.items[0]?.binary ?? {})).toStrictEqual(['data']);
});

test('the media trigger does not start again for the same task', async () => {
	await listening(started.url);
	expect((await call(started.url, { taskId: ended })).status).toBe(200);
	// A later task shows that the earlier call has been dealt with.
	await environment.gateway.control.finishTask(suspended.tasks[1] ?? '');
	await call(started.url, { taskId: suspended.tasks[1] });
	await finished(started, 2);
});

test('a call that was not answered starts the workflow when it is repeated', async () => {
	expect(answer).toBe('none');
	await listening(unanswered.url);
	expect((await call(unanswered.url, { taskId: ended })).status).toBe(200);
	await finished(unanswered, 1);
});

test('the balance trigger knows whether it has told, and that the balance has risen', async () => {
	await told.set('40.00');
	await risen.set('60.00');
	expect(await told.amounts()).toStrictEqual(['50.00']);
	expect(await risen.amounts()).toStrictEqual(['50.00', '60.00']);
});
