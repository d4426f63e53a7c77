import { items } from '../helpers/echoGateway';
import { envelope, gateway, TASKS } from '../helpers/media';
import { useNock } from '../helpers/nock';
import { suspend, suspending, tasksThat } from '../helpers/suspended';
import { quickTime } from '../helpers/time';

useNock();
quickTime();

it('a node that n8n runs again does not suspend the execution before', async () => {
	gateway().post(TASKS).reply(402, envelope(null, 402));
	const tasks = tasksThat(() => 'processing');
	const parameters = { inputJson: '={{ { prompt: $json.text } }}', options: { concurrency: 1 } };
	const settings = { retryOnFail: true, waitBetweenTries: 1, onError: 'continueRegularOutput' } as const;
	await suspend(tasks, suspending(parameters, { items: items(2), settings }));
	// The first item's first creation was refused.
	const prompts = tasks.sent.map(({ body }) => (body.input as { prompt: string }).prompt);
	expect(prompts).toStrictEqual(['p1', 'p0', 'p1']);
	const [first, , second] = tasks.sent.map(({ key }) => key);
	expect(second).toBe(first);
});
