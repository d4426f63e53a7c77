import nock from 'nock';

import { runNode, type RunOptions, type RunResult } from './engine';
import './nock';
import { locator } from './values';

/** Path of the tasks below the test gateway. */
export const TASKS = '/api/v1/async/media/tasks';

/** The gateway of the tests' credential; responds only to its key. */
export const gateway = () =>
	nock('https://gateway.test', { reqheaders: { authorization: 'Bearer sk-test' } });

/** The server of result files; rejects requests with a key. */
export const files = () => nock('https://files.test', { badheaders: ['authorization', 'x-api-key'] });

/** The envelope of media responses (§7.1). */
export const envelope = (data: unknown, code = 200, msg = code === 200 ? 'success' : 'server words') => ({
	code,
	msg,
	data,
});

/** A model of the catalogue with this input schema. */
export const painter = (inputSchema: object = {}, more: object = {}) => ({
	id: 'acme/painter',
	object: 'model',
	owned_by: 'acme',
	media_type: 'image',
	pricing: { currency: 'RUB', type: 'tiered', tiers: [{ params: {}, price: '6.00' }] },
	input_schema: inputSchema,
	...more,
});

/** Serves the catalogue, and counts the requests. */
export function catalogue(models: object[] = [painter()]): { requests: number } {
	const count = { requests: 0 };
	nock('https://gateway.test')
		.persist()
		.get('/api/v1/media/models')
		.optionally()
		.reply(() => {
			count.requests += 1;
			return [200, { object: 'list', data: models }];
		});
	return count;
}

/** Accepts task requests, and records them with their keys. */
export function creations(): Array<{ body: Record<string, unknown>; key: string }> {
	const sent: Array<{ body: Record<string, unknown>; key: string }> = [];
	nock('https://gateway.test')
		.persist()
		.post(TASKS)
		.reply(function (_, body) {
			const key = String(this.req.headers['idempotency-key']);
			sent.push({ body: body as Record<string, unknown>, key });
			return [201, envelope({ taskId: `t${sent.length}` })];
		});
	return sent;
}

/** Serves a catalogue of these models, and accepts and records task requests. */
export function serve(...models: object[]) {
	catalogue(models.length > 0 ? models : undefined);
	return creations();
}

/** Responds with a task's states, one for each request; the last one repeats. Counts the requests. */
export function task(taskId: string, ...states: object[]): { requests: number } {
	return polls(taskId, (count) => [200, envelope({ taskId, ...states[Math.min(count, states.length) - 1] })]);
}

/** Responds to the polls of a task, counted from 1. Counts the requests. */
export function polls(
	taskId: string,
	respond: (count: number) => [status: number, body: nock.Body],
): { requests: number } {
	const seen = { requests: 0 };
	gateway()
		.persist()
		.get(`${TASKS}/${taskId}`)
		.reply(() => respond((seen.requests += 1)));
	return seen;
}

/** The model of the tests, as a workflow stores it. */
export const model = locator('acme/painter');

/** Runs an operation of the media node. */
export async function run(
	operation: string,
	parameters: object,
	extra: Partial<RunOptions> = {},
	resource = 'task',
): Promise<RunResult> {
	return await runNode({
		node: 'mediaTask',
		...extra,
		parameters: { resource, operation, ...parameters },
	});
}
