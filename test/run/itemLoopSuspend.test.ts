import { items } from '../helpers/echoGateway';
import { envelope, gateway, TASKS } from '../helpers/media';
import { useNock } from '../helpers/nock';
import { stored, suspend, suspending, mockTasks } from '../helpers/suspended';
import { quickTime } from '../helpers/time';

useNock();
quickTime();

const continueOnError = { onError: 'continueRegularOutput' } as const;

it.each([
	['without Retry On Fail', {}],
	['in the last try', { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 }],
])('items are waited for although the first item fails: %s', async (_, retries) => {
	const tasks = mockTasks(() => 'processing');
	// The first item has no prompt: it fails in each try.
	const inputJson = '={{ $json.n === 0 ? "" : { prompt: $json.text } }}';
	const settings = { ...continueOnError, ...retries };
	const suspended = await suspend(tasks, suspending({ inputJson }, { items: items(2), settings }));
	expect(stored(suspended).map(({ json }) => json.error !== undefined)).toStrictEqual([true, false]);
});

it('the execution is not suspended before the last try', async () => {
	gateway().post(TASKS).reply(402, envelope(null, 402));
	const tasks = mockTasks(() => 'processing');
	const parameters = { inputJson: '={{ { prompt: $json.text } }}', options: { concurrency: 1 } };
	const settings = { ...continueOnError, retryOnFail: true, waitBetweenTries: 1 };
	await suspend(tasks, suspending(parameters, { items: items(2), settings }));
	// The first creation of the first item is rejected.
	const prompts = tasks.sent.map(({ body }) => (body.input as { prompt: string }).prompt);
	expect(prompts).toStrictEqual(['p1', 'p0']);
});
