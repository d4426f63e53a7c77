import { checkPng } from '../../sandbox/demo/png';
import type { RunResult } from '../../sandbox/n8n/executions';
import { loadExample } from '../../sandbox/n8n/workflows';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';

let environment: OwnEnvironment;

useOwnEnvironment((started) => (environment = started));

function itemOf(result: RunResult, name: string): RunResult['nodes'][string]['items'][number] {
	const item = result.nodes[name]?.items[0];
	if (item === undefined) throw new Error(`"${name}" gave no item: ${JSON.stringify(result.error)}`);
	return item;
}

describe('the example from a topic to a picture in storage', () => {
	let result: RunResult;

	beforeAll(async () => {
		result = await environment.runWorkflow(await loadExample('text-to-media'));
	});

	test('succeeds', () => {
		expect(result.error).toBeUndefined();
		expect(result.status).toBe('success');
	});

	test('the picture is a complete PNG of the requested size', async () => {
		const bytes = await environment.readBinary(itemOf(result, 'Draw picture'));
		expect(await checkPng(bytes)).toStrictEqual({ width: 1536, height: 1024 });
	});

	test('the stored file is that picture, byte for byte', async () => {
		const { json } = itemOf(result, 'Keep in storage');
		expect(json).toStrictEqual(
			expect.objectContaining({ mimeType: 'image/png', storagePolicy: 'PERMANENT' }),
		);
		const stored = Buffer.from(await (await fetch(json['url'] as string)).arrayBuffer());
		expect(stored.equals(await environment.readBinary(itemOf(result, 'Draw picture')))).toBe(true);
	});

	test('each task was charged once', () => {
		const { control } = environment.gateway;
		const charged = control
			.ledger()
			.filter(({ kind }) => kind === 'media')
			.map(({ taskId }) => taskId);
		expect(charged).toStrictEqual([itemOf(result, 'Draw picture').json['taskId']]);
		expect(control.tasks().map(({ taskId }) => taskId)).toStrictEqual(charged);
	});
});

describe('the API key', () => {
	let result: RunResult;

	beforeAll(async () => {
		environment.gateway.control.addFault({
			match: { path: '/chat/completions' },
			action: { kind: 'error', code: 'insufficient_quota' },
		});
		result = await environment.runWorkflow({
			...(await loadExample('text-to-media')),
			name: 'Fails at the text',
		});
	});

	test('is neither in the error of the execution nor in the data of n8n’s API', async () => {
		expect(result.status).toBe('error');
		expect(result.error?.message).toMatch(/./);
		const raw = await environment.readExecutionRaw(result.executionId);
		expect(raw).toContain('a lighthouse in a winter storm');
		expect(`${JSON.stringify(result.error)} ${raw}`).not.toContain(environment.gateway.apiKey);
	});

	test('is not in the database with the executions', async () => {
		const bytes = await environment.databaseBytes();
		expect(bytes.includes('a lighthouse in a winter storm')).toBe(true);
		expect(bytes.includes(environment.gateway.apiKey)).toBe(false);
	});

	test('is not in n8n’s log', async () => {
		const log = await environment.n8nLog();
		expect(log).toContain('Editor is now accessible');
		expect(log).not.toContain(environment.gateway.apiKey);
	});

	test('was sent to the API only', () => {
		const { control, apiKey } = environment.gateway;
		const files = control.requests({ host: 'files' });
		expect(files.length).toBeGreaterThan(0);
		expect(JSON.stringify(files)).not.toContain(apiKey);
	});
});
