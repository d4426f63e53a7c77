import { binaryStorage } from '../../helpers/engine';
import { continueOnFail, catalogue, envelope, files, gateway, run, TASKS } from '../../helpers/media';
import { useNock } from '../../helpers/nock';

// The files of media tasks.

useNock();

const taskId = 't1';

/** An ended task with these files. */
function finished(...urls: string[]) {
	catalogue();
	gateway()
		.persist()
		.get(`${TASKS}/t1`)
		.reply(200, envelope({ taskId, state: 'success', resultJson: JSON.stringify({ resultUrls: urls }) }));
}
const served = (
	path: string,
	body = 'bytes',
	headers: Record<string, string> = { 'content-type': 'image/png' },
) => files().get(path).reply(200, body, headers);

describe('the files of a task', () => {
	it('are in a field each, with names, types and bytes', async () => {
		finished('https://files.test/a.png', 'https://files.test/b', 'https://files.test/');
		served('/a.png', 'one');
		served('/b', 'two', { 'content-type': 'audio/mpeg' });
		served('/', 'three');
		const { items } = await run('wait', { taskId, options: { binaryPropertyName: 'result' } });
		const binary = items[0]?.binary ?? {};
		expect(
			Object.entries(binary).map(([field, { fileName, mimeType }]) => [field, fileName, mimeType]),
		).toStrictEqual([
			['result', 'a.png', 'image/png'],
			['result_1', 'b.mp3', 'audio/mpeg'],
			['result_2', 'task_t1_2.png', 'image/png'],
		]);
		const storage = await binaryStorage();
		const bytes = await Promise.all(
			Object.values(binary).map(async (file) => String(await storage.getAsBuffer(file))),
		);
		expect(bytes).toStrictEqual(['one', 'two', 'three']);
	});

	it.each(['__proto__', 'toString'])('may be in a field of any name: %s', async (name) => {
		finished('https://files.test/a.png');
		served('/a.png', 'one');
		const { items } = await run('wait', { taskId, options: { binaryPropertyName: name } });
		expect(Object.keys(items[0]?.binary ?? {})).toStrictEqual([name]);
	});

	it('are not fetched when the option is off', async () => {
		finished('https://files.test/a.png');
		const { items } = await run('wait', { taskId, downloadResults: false });
		expect(items.map(({ json, binary }) => [json.state, binary])).toStrictEqual([['success', undefined]]);
	});

	it('are not fetched for an AI Agent, which gets the URLs', async () => {
		finished('https://files.test/a.png', 'https://files.test/b.png');
		for (const operation of ['wait', 'download']) {
			const { items, error } = await run(operation, { taskId }, { asTool: true });
			expect(error).toBeUndefined();
			expect(items.map(({ json, binary }) => [json, binary])).toStrictEqual([
				[
					{
						taskId,
						state: 'success',
						resultUrls: ['https://files.test/a.png', 'https://files.test/b.png'],
					},
					undefined,
				],
			]);
		}
	});

	it('make the item fail with the task ID when one cannot be fetched', async () => {
		finished('https://files.test/a.png', 'https://files.test/b.png');
		served('/a.png');
		files().get('/b.png').reply(404, 'gone');
		const parameters = { taskId, options: { maxRetries: 0 } };
		const { items } = await run('wait', parameters, continueOnFail);
		const errors = items.map(({ json }) => json.error as unknown as Record<string, unknown>);
		expect(errors).toMatchObject([
			{
				taskId,
				httpCode: '404',
				retryable: false,
			},
		]);
		expect(errors.map((error) => 'mayBeCharged' in error)).toStrictEqual([false]);
		expect(items.map(({ binary }) => binary)).toStrictEqual([undefined]);
	});
});
