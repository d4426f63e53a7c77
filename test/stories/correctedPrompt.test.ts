import type { TaskView } from '../../sandbox/gateway/control/types';
import { locator } from '../contract/support';
import { form } from '../helpers/media';
import { image, prompts, rubles, useStories } from './support';

// Pictures have been made and cannot be downloaded. The user changes the node, and retries the execution with what is
// saved now.

const { gateway, execute, spent } = useStories();

async function failedDownload() {
	gateway.control.addFault({
		match: { host: 'files' },
		action: { kind: 'raw', status: 404, body: 'html' },
		times: 0,
	});
	const failed = await execute(image({ prompt: '=a grey cat, {{ $json.prompt }}' }), prompts('one', 'two'));
	expect(failed.error).toBeDefined();
	expect(gateway.charges()).toBe(2);
	gateway.control.clearFaults();
	return failed;
}

/** The tasks of the two items. */
const made = (isMeant: (task: TaskView) => boolean) =>
	['one', 'two'].map((word) => {
		const found = gateway.control
			.tasks()
			.filter((task) => isMeant(task) && String(task.input.prompt).endsWith(word));
		return found.map(({ taskId }) => taskId).join();
	});
const isFirst = ({ input, model }: TaskView) =>
	String(input.prompt).startsWith('a grey cat') && input.quality === 'draft' && model === 'aurora/canvas-1';
const WITH_FILES = [['data'], ['data']];

it('a retry downloads the pictures that are paid for', async () => {
	const retried = await (await failedDownload()).retry();
	expect(retried.error).toBeUndefined();
	expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(made(isFirst));
	expect(retried.items().map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual(WITH_FILES);
	expect(gateway.charges()).toBe(2);
	expect(retried.hints()).toMatch(rubles(spent()));
});

test.each<[string, object, (task: TaskView) => boolean]>([
	[
		'a corrected prompt',
		{ prompt: '=a red cat, {{ $json.prompt }}' },
		({ input }) => String(input.prompt).startsWith('a red cat'),
	],
	[
		'another quality',
		{ input: form({ quality: 'standard', size: '512x512' }) },
		({ input }) => input.quality === 'standard',
	],
	[
		'another model',
		{ model: locator('aurora/remix-1'), input: form({ mode: 'draw', size: '512x512' }) },
		({ model }) => model === 'aurora/remix-1',
	],
])('a retry with %s makes new pictures, and returns those', async (_, parameters, isNew) => {
	const retried = await (await failedDownload()).retry(parameters);
	expect(retried.error).toBeUndefined();
	expect(gateway.charges()).toBe(4);
	expect(retried.hints()).toMatch(rubles(spent(0, 2)));
	expect(retried.hints()).toMatch(rubles(spent(2)));
	expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(made(isNew));
	expect(retried.items().map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual(WITH_FILES);
});

test.each<[string, object]>([
	['a longer *Max Wait*', { maxWait: 60 }],
	['a longer *Timeout*', { timeout: 600 }],
	['*Max Cost per Execution*', { maxCostRub: 100 }],
	['*Max Price*', { maxPriceRub: 100 }],
	['less *Concurrency*', { concurrency: 1 }],
])('a retry with %s pays nothing again', async (_, options) => {
	const retried = await (await failedDownload()).retry({ options });
	expect(retried.error).toBeUndefined();
	expect(retried.items().map(({ json }) => json.taskId)).toStrictEqual(made(isFirst));
	expect(gateway.charges()).toBe(2);
});
