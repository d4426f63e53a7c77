/** The file host: another origin than the API, public to anyone with the URL (§2.7). */
import type { FastifyInstance } from 'fastify';
import type { GatewayContext } from '../context';
import { instrument } from '../control/instrument';
import { renderError, ApiError } from '../errors';
import { idOf } from '../storage/store';

export function fileHost(app: FastifyInstance, context: GatewayContext): void {
	instrument(app, context, 'files');
	app.setErrorHandler(async (error, _request, reply) => {
		const failure = error instanceof ApiError ? error : new ApiError('internal_error', String(error));
		const { status, body } = renderError(failure, 'storage');
		if (failure.details.retryAfter) reply.header('retry-after', failure.details.retryAfter);
		await reply.code(status).send(body);
	});
	app.setNotFoundHandler(async (_request, reply) => {
		await reply.code(404).type('text/plain; charset=utf-8').send('Not found\n');
	});
	app.get<{ Params: { name: string } }>('/files/:name', async (request, reply) => {
		const file = context.files.find(idOf(request.params.name));
		if (!file) {
			reply.callNotFound();
			return reply;
		}
		return reply
			.type(file.mimeType)
			.header('content-length', file.size)
			.header('content-disposition', `inline; filename*=UTF-8''${encodeURIComponent(file.filename)}`)
			.send(context.files.read(file));
	});
}
