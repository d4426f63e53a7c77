import { eventually, passTime } from '../helpers/time';
import { image, prompts, useStories } from './support';

const { gateway, execute } = useStories();

test('with *Concurrency* 1, files are downloaded one after the other, while other tasks are polled', async () => {
	gateway.control.configure({ taskDuration: { image: 3_600_000 } });
	const download = gateway.control.hold({ host: 'files' });
	const execution = execute(image({ options: { concurrency: 1 } }), prompts('a cat', 'a dog'));
	await eventually(() => gateway.control.tasks().length === 2);
	const [first = '', second = ''] = gateway.control.tasks().map(({ taskId }) => taskId);
	const polls = () => gateway.control.requests({ path: `/async/media/tasks/${second}` }).length;
	await gateway.control.finishTask(first);
	await eventually(() => download.requests.length === 1);
	const before = polls();
	await eventually(() => polls() > before);
	await gateway.control.finishTask(second);
	await passTime(60_000);
	expect(download.requests).toHaveLength(1);
	download.release();
	expect((await execution).items().map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual([
		['data'],
		['data'],
	]);
});

test('with *Concurrency* 1, a catalogue that does not respond keeps no task from being created', async () => {
	const catalogue = gateway.control.hold({ path: '/media/models' });
	const node = image({
		resource: 'task',
		operation: 'create',
		prompt: '',
		inputMode: 'json',
		inputJson: '={{ { prompt: $json.prompt, quality: "draft", size: "512x512" } }}',
		options: { concurrency: 1 },
	});
	const start = Date.now();
	const execution = execute(node, prompts('a cat', 'a dog', 'a fox'));
	await eventually(() => gateway.control.tasks().length === 3);
	expect([catalogue.requests.length, Date.now() - start < 10_000]).toStrictEqual([1, true]);
	catalogue.release();
	expect((await execution).items().map(({ json }) => json.priceRub)).toStrictEqual([1.8, 1.8, 1.8]);
});
