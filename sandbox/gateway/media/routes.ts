/** Media tasks and sessions (§4.6 – §4.13), in the media envelope (§7.1). */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { authenticate } from '../auth';
import type { GatewayContext } from '../context';
import { ApiError } from '../errors';
import { isObject, type JsonObject } from '../jsonSchema';
import { createTask } from './create';
import { sendDownload } from './download';
import { alignLyrics } from './lyrics';
import { statusView, type MediaTask } from './task';
import { archiveFields, checkedBody } from './validate';

type WithId = { Params: { id: string } };
type WithQuery = { Querystring: Record<string, string | undefined> };

const tasksPath = '/async/media/tasks';

function envelope(data: unknown): JsonObject {
	return { code: 200, msg: 'success', data };
}

export function mediaRoutes(app: FastifyInstance, context: GatewayContext): void {
	const { tasks, files } = context;

	app.post(tasksPath, async (request, reply) => {
		const account = authenticate(context, request);
		const task = createTask(context, request, account);
		return await reply.code(201).send(envelope({ taskId: task.id }));
	});

	// §4.13 shows neither filters nor shape: `archived`, `state`, `model`, `page`, `pageSize`, newest first.
	app.get<WithQuery>(tasksPath, (request) => {
		const account = authenticate(context, request);
		return envelope(listTasks(context, account.name, request.query));
	});

	app.get<WithId>(`${tasksPath}/:id`, (request) => {
		const account = authenticate(context, request);
		return envelope(statusView(tasks.visible(account, taskId(request.params)), files));
	});

	app.get<WithId>(`${tasksPath}/:id/download`, (request, reply) => {
		const account = authenticate(context, request);
		return sendDownload(reply, tasks.visible(account, taskId(request.params)), files);
	});

	app.patch<WithId>(`${tasksPath}/:id/archive`, async (request, reply) => {
		const account = authenticate(context, request);
		const task = tasks.visible(account, taskId(request.params));
		tasks.archive(task, readArchive(request.body));
		return await reply.code(204).send();
	});

	app.delete<WithId>(`${tasksPath}/:id`, async (request, reply) => {
		const account = authenticate(context, request);
		tasks.delete(tasks.owned(account, taskId(request.params)));
		return await reply.code(204).send();
	});

	app.post<WithId>(`${tasksPath}/:id/restore`, async (request, reply) => {
		const account = authenticate(context, request);
		tasks.restore(tasks.owned(account, taskId(request.params)));
		return await reply.code(204).send();
	});

	app.post<WithId>(`${tasksPath}/:id/lyrics/timestamped`, (request) => {
		const account = authenticate(context, request);
		return envelope(alignLyrics(tasks.visible(account, taskId(request.params)), request.body));
	});

	// §4.13 shows no shape: the body is returned with an ID.
	app.post('/media/sessions', async (request, reply) => {
		const account = authenticate(context, request);
		const sessionId = randomUUID();
		context.sessions.set(sessionId, account.name);
		const { body } = request;
		const session = { ...(isObject(body) && body), sessionId, createTime: Date.now() };
		return await reply.code(201).send(envelope(session));
	});
}

/** §4.7: 422 for what cannot be a task id. */
function taskId({ id }: WithId['Params']): string {
	if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return id.toLowerCase();
	throw new ApiError('invalid_input', 'task_id: must be a UUID');
}

/** §4.9: optional; an empty object means false. */
function readArchive(body: unknown): boolean {
	return checkedBody(archiveFields, body ?? {}).archive === true;
}

function listTasks(context: GatewayContext, account: string, query: WithQuery['Querystring']): JsonObject {
	const page = Math.max(1, Number(query.page ?? 1) || 1);
	const pageSize = Math.min(100, Math.max(1, Number(query.pageSize ?? 20) || 20));
	const wanted = (task: MediaTask): boolean =>
		task.account === account &&
		!task.deleted &&
		task.archived === (query.archived === 'true') &&
		(query.state === undefined || task.state === query.state) &&
		(query.model === undefined || task.model.id === query.model);
	const found = context.tasks.all().filter(wanted).reverse();
	const items = found.slice((page - 1) * pageSize, page * pageSize);
	return {
		items: items.map((task) => ({ ...statusView(task, context.files), archived: task.archived })),
		total: found.length,
		page,
		pageSize,
	};
}
