import type { FaultAction } from '../../sandbox/gateway/gateway';
import { TEXT_MODEL } from '../contract/support';
import { locator } from '../helpers/values';
import { runAgent } from './agentWorkflow';
import type { StoryNode } from './execution';
import { image, prompts, says, text, useStories } from './support';

// *Get Tasks of This Execution*: the files behind nodes and agents.

const { gateway, execute, disturb, calm } = useStories();
const list = (parameters: object = {}): StoryNode => ({
	node: 'mediaTask',
	parameters: { resource: 'task', operation: 'getFromExecution', ...parameters },
});
const create = image({ resource: 'task', operation: 'create' });
const tasks = () => gateway.control.tasks();

it('each picture of an execution comes once, with its file, whatever came in between', async () => {
	const execution = await execute(
		[image(), text({ prompt: 'a' }), list()],
		prompts('a cat', 'a dog', 'a cow'),
	);
	const items = execution.items('Gateway 3');
	expect(items.map(({ json }) => [json.taskId, json.state])).toStrictEqual(
		tasks().map(({ taskId }) => [taskId, 'success']),
	);
	expect(items.map(({ binary }) => binary?.data?.mimeType)).toStrictEqual(Array(3).fill('image/png'));
	expect(items.map(({ pairedItem }) => pairedItem)).toStrictEqual(Array(3).fill({ item: 0 }));
});

it('without *Simplify*, tasks come as received, with their files', async () => {
	const pictures = image({ downloadResults: false });
	const execution = await execute([pictures, list({ simplify: false })], prompts('a cat'));
	const [item] = execution.items('Gateway 2');
	expect(item?.json).toMatchObject({ code: 200, msg: 'success', data: { taskId: tasks()[0]?.taskId } });
	expect(item?.binary?.data?.mimeType).toBe('image/png');
});

it('without *Download Results*, tasks come with their links alone', async () => {
	const noFiles = { downloadResults: false };
	const execution = await execute([image(noFiles), list(noFiles)], prompts('a cat'));
	const [item] = execution.items('Gateway 2');
	expect([item?.json.resultUrls, item?.binary]).toStrictEqual([tasks()[0]?.resultUrls, undefined]);
	expect(gateway.control.requests({ host: 'files' })).toStrictEqual([]);
});

it('files have the field and the names of the options', async () => {
	const options = { binaryPropertyName: 'picture', fileName: 'drawn' };
	const items = (await execute([image(), list({ options })], prompts('a cat', 'a dog'))).items('Gateway 2');
	const names = items.map(({ binary = {} }) =>
		Object.entries(binary).map(([field, file]) => [field, file.fileName]),
	);
	expect(names).toStrictEqual([[['picture', 'drawn.png']], [['picture', 'drawn.png']]]);
});

it('the picture that an agent drew goes on, as a file', async () => {
	const { baseUrl, apiKey } = gateway;
	const draw = image({ prompt: "={{ $fromAI('prompt', 'What the image shows', 'string') }}" });
	const story = { model: { model: locator(TEXT_MODEL), options: {} }, tools: { Draw: draw }, after: list() };
	const { data } = await runAgent(
		{ ...story, asks: ['Draw a grey cat', 'Draw a red boat'] },
		{ baseUrl, apiKey },
	);
	const items = data.resultData.runData.After?.at(-1)?.data?.main?.[0] ?? [];
	expect(items.map(({ json, binary }) => [json.taskId, binary?.data?.mimeType])).toStrictEqual(
		tasks().map(({ taskId }) => [taskId, 'image/png']),
	);
	expect(items).toHaveLength(2);
});

it('an agent gets the URLs of the files alone', async () => {
	const tool = { ...list({ simplify: false }), asTool: true };
	const items = (await execute([image({ downloadResults: false }), tool], prompts('a cat'))).items(
		'Gateway 2',
	);
	const [{ taskId = '', resultUrls = [] } = {}] = tasks();
	expect(items).toMatchObject([{ json: { taskId, resultUrls } }]);
	expect([items[0]?.binary, gateway.control.requests({ host: 'files' })]).toStrictEqual([undefined, []]);
});

it('tasks that run, have failed or are gone are no errors', async () => {
	gateway.control.configure({ taskDuration: { image: 3_600_000 } });
	const remove: StoryNode = {
		node: 'mediaTask',
		parameters: { resource: 'task', operation: 'delete', taskId: "={{ $('Gateway').first().json.taskId }}" },
		settings: { executeOnce: true },
	};
	const execution = await execute([create, remove, list()], prompts('a cat', 'a dog', 'a cow'));
	const states = (node: string) => execution.items(node).map(({ json }) => json.downloadError ?? json.state);
	expect([execution.error, states('Gateway 3')]).toStrictEqual([
		undefined,
		['deleted', 'waiting', 'waiting'],
	]);
	gateway.control.configure({
		taskDuration: { image: 10 },
		taskFailure: { code: 'NSFW', message: 'It is not allowed', times: 1 },
	});
	const failing = image({}, { onError: 'continueRegularOutput' });
	const items = (await execute([failing, list()], prompts('a cat'))).items('Gateway 2');
	expect(items.map(({ json, binary }) => [json.state, json.failCode, binary])).toStrictEqual([
		['fail', 'NSFW', undefined],
	]);
});

it.each<[string, FaultAction]>([
	['500', { kind: 'error', code: 'internal_error' }],
	['404', { kind: 'raw', status: 404, body: 'html' }],
])('a gateway that is down (%s) is an error, not deleted tasks', async (httpCode, action) => {
	gateway.control.addFault({ match: { path: '/async/media/tasks/*', method: 'GET' }, action, times: 0 });
	const execution = await execute([create, list({ options: { maxRetries: 0 } })], prompts('a cat'));
	expect([execution.error?.httpCode, execution.items('Gateway 2')]).toStrictEqual([httpCode, []]);
});

it.each([true, false])(
	'a file that cannot be fetched is named, and the other pictures come (*Simplify*: %s)',
	async (simplify) => {
		const pictures = image({ downloadResults: false });
		gateway.control.addFault({
			match: { host: 'files', nth: 1 },
			action: { kind: 'raw', status: 410, body: 'empty' },
		});
		const items = (await execute([pictures, list({ simplify })], prompts('a cat', 'a dog'))).items(
			'Gateway 2',
		);
		const times = 'uploads are kept for 24 hours, generated files for 7 days';
		const error = expect.objectContaining({
			httpCode: '410',
			description: expect.stringContaining(times) as string,
		}) as unknown;
		expect(items.map(({ json, binary }) => [json.downloadError, binary?.data?.mimeType])).toStrictEqual([
			[error, undefined],
			[undefined, 'image/png'],
		]);
	},
);

it('a *Retry* also lists what the execution before has made, each task once', async () => {
	disturb(says('a dog'), { kind: 'error', code: 'invalid_input' }, () => gateway.charges() === 1);
	const failed = await execute([create, list()], prompts('a cat', 'a dog'));
	calm();
	const retried = await failed.retry();
	expect(retried.items('Gateway 2').map(({ json }) => json.taskId)).toStrictEqual(
		tasks().map(({ taskId }) => taskId),
	);
	expect(tasks()).toHaveLength(2);
});

it('a task that two nodes get with one *Idempotency Key* comes once', async () => {
	const ordered = image({ prompt: 'a cat', options: { idempotencyKey: 'order-7' } });
	const execution = await execute([ordered, ordered, list()], prompts('a'));
	expect(execution.items('Gateway 3').map(({ json }) => json.taskId)).toStrictEqual(
		tasks().map(({ taskId }) => taskId),
	);
	expect(tasks()).toHaveLength(1);
});

it('an execution without tasks, or with those of another account, lists none, and says so', async () => {
	const own = await execute(list(), prompts('a'));
	expect([own.items(), own.error]).toStrictEqual([[], undefined]);
	expect(own.hints()).toContain('has made no media tasks with this account');
	const { key } = gateway.control.createKey({ account: 'another' });
	gateway.control.setBalance('100', 'another');
	const keyOf = ({ json }: { json: object }) => ('taskId' in json ? key : gateway.apiKey);
	const other = await execute([create, list()], prompts('a cat'), { keyOf });
	expect([other.items('Gateway 2'), tasks().length]).toStrictEqual([[], 1]);
});
