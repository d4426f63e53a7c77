import { setTimeout as sleep } from 'node:timers/promises';

import { filled, useGateway } from './support';

// Media tasks: creation, results, flags.

const gateway = useGateway();

const inputs = () => gateway.control.tasks().map(({ input }) => input);

/** An ended task of this model. */
async function made(model: string, value: object): Promise<string> {
	const { items, error } = await gateway.media('create', filled(model, value));
	expect(error).toBeUndefined();
	while (gateway.control.tasks().some(({ state }) => state !== 'success')) await sleep(10);
	return items[0]?.json.taskId as string;
}

/** An item with a picture from the gateway. */
const picture = async () =>
	(await gateway.media('download', { taskId: await made('aurora/canvas-1', { prompt: 'a' }) })).items;

describe('input files', () => {
	const inputFiles = { files: [{ binaryPropertyName: 'data', inputField: 'image_urls' }] };

	it('are uploaded, and the gateway accepts their URLs', async () => {
		const items = await picture();
		const { error } = await gateway.media(
			'create',
			{ ...filled('aurora/retouch-1', { prompt: 'b' }), inputFiles },
			{ items },
		);
		expect(error).toBeUndefined();
		const { image_urls: urls } = inputs()[1] as { image_urls: string[] };
		expect((await fetch(String(urls[0]))).status).toBe(200);
	});
});

describe('a task', () => {
	it('is archived once, deleted and restored', async () => {
		const taskId = await made('voxa/speech-1', { text: 'a' });
		const act = async (operation: string) => await gateway.media(operation, { taskId });
		expect((await act('archive')).items[0]?.json).toStrictEqual({ archived: true, taskId });
		expect((await act('archive')).error?.message).toContain('archived already');
		expect((await act('unarchive')).items[0]?.json).toStrictEqual({ archived: false, taskId });
		expect((await act('delete')).items[0]?.json).toStrictEqual({ deleted: true, taskId });
		expect((await act('delete')).items[0]?.json).toStrictEqual({ deleted: true, taskId });
		expect((await act('get')).error?.message).toBe('The gateway has no such media task');
		expect((await act('restore')).items[0]?.json).toStrictEqual({ restored: true, taskId });
		expect((await act('wait')).items[0]?.json.state).toBe('success');
	});

	it('is archived when the first response is lost and the second is an error', async () => {
		const taskId = await made('voxa/speech-1', { text: 'a' });
		gateway.control.addFault({ match: { method: 'PATCH' }, action: { kind: 'loseResponse' } });
		const { items } = await gateway.media('archive', { taskId });
		expect(items[0]?.json).toStrictEqual({ archived: true, taskId });
		expect(gateway.control.requests({ method: 'PATCH' })).toHaveLength(2);
		expect(gateway.control.tasks().find((task) => task.taskId === taskId)).toMatchObject({ archived: true });
	});

	it('has lyrics when it is a song, and none when it is a picture', async () => {
		const taskId = await made('harmonia/song-3', { prompt: 'a sea shanty' });
		const song = await gateway.media('get', { taskId });
		const [track] = song.items[0]?.json.tracks as Array<{ id: string }>;
		const { items } = await gateway.media('getLyrics', { taskId, audioId: track?.id });
		expect(items[0]?.json.alignedWords).toHaveLength(3);
		const drawn = await made('aurora/canvas-1', { prompt: 'a' });
		const { error } = await gateway.media('getLyrics', { taskId: drawn, audioId: 'a' });
		expect(error?.message).toBe('The gateway has no lyrics for this');
	});

	it('cannot be downloaded before it has ended: the error says so, and not that there is no task', async () => {
		gateway.control.configure({ taskDuration: { video: 60_000 } });
		const { items } = await gateway.media('create', filled('lumen/motion-2', { prompt: 'a' }));
		const taskId = items[0]?.json.taskId as string;
		const early = await gateway.media('download', { taskId });
		expect(early.error?.message).toBe('The media task has not finished');
		expect(early.error?.description).toMatch(/its state is "(waiting|processing)".*'Wait'/);
		await gateway.control.finishTask(taskId, { failCode: 'NSFW', failMsg: 'No such picture' });
		const { error } = await gateway.media('download', { taskId });
		expect(error?.message).toBe('The media task failed');
	});

	it('belongs to a session', async () => {
		const session = await gateway.media('create', { sessionJson: '{"name":"x"}' }, {}, 'session');
		const sessionId = session.items[0]?.json.sessionId as string;
		expect(session.items[0]?.json.name).toBe('x');
		const { error } = await gateway.media('create', {
			...filled('voxa/speech-1', { text: 'a' }),
			options: { sessionId },
		});
		expect(error).toBeUndefined();
	});
});

it('what n8n stores of a node whose task has failed has no API key', async () => {
	const inputJson = '{ "prompt": "[[fail]]" }';
	const { error, run } = await gateway.draw({ inputJson, options: { idempotencyKey: 'order-7' } });
	expect(error?.message).toBe('The media task failed');
	const stored = JSON.stringify(run.data);
	expect(stored).toContain('order-7');
	expect(stored).not.toContain(gateway.apiKey);
});
