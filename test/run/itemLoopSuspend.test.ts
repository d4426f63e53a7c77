import { items } from '../helpers/echoGateway';
import { useNock } from '../helpers/nock';
import { stored, suspend, suspending, mockTasks } from '../helpers/suspended';
import { quickTime } from '../helpers/time';

useNock();
quickTime();

const continueOnError = { onError: 'continueRegularOutput' } as const;

it('items are waited for although the first item fails', async () => {
	const tasks = mockTasks(() => 'processing');
	// The first item has no prompt.
	const inputJson = '={{ $json.n === 0 ? "" : { prompt: $json.text } }}';
	const suspended = await suspend(
		tasks,
		suspending({ inputJson }, { items: items(2), settings: continueOnError }),
	);
	expect(stored(suspended).map(({ json }) => json.error !== undefined)).toStrictEqual([true, false]);
});
