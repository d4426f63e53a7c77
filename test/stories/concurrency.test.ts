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
