import multipart from '@fastify/multipart';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { balanceRoute } from './balanceRoute';
import { catalogueRoutes } from './catalogue/routes';
import type { GatewayContext } from './context';
import { instrument } from './control/instrument';
import { apiPrefix } from './control/requestLog';
import { ApiError, errorFormatOf, renderError } from './errors';
import { fileHost } from './files/host';
import { mediaRoutes } from './media/routes';
import { storageRoutes } from './storage/routes';
import { chatRoute } from './text/chat/route';
import { messagesRoute } from './text/messages/route';
import { responsesRoute } from './text/responses/route';

export function createServer(): FastifyInstance {
	return Fastify({
		// §8
		bodyLimit: 100 * 1024 * 1024,
		forceCloseConnections: true,
		exposeHeadRoutes: false,
	});
}

/** The API, with its errors in the format of each endpoint's group (§7.1). */
export async function registerApi(server: FastifyInstance, context: GatewayContext): Promise<void> {
	await server.register(
		async (app) => {
			readJson(app);
			await app.register(multipart);
			instrument(app, context, 'api');
			handleErrors(app);
			catalogueRoutes(app, context);
			balanceRoute(app, context);
			chatRoute(app, context);
			responsesRoute(app, context);
			messagesRoute(app, context);
			mediaRoutes(app, context);
			storageRoutes(app, context);
		},
		{ prefix: apiPrefix },
	);
}

export function createFileServer(context: GatewayContext): FastifyInstance {
	const server = Fastify({ forceCloseConnections: true, exposeHeadRoutes: true });
	fileHost(server, context);
	return server;
}

/** JSON bodies; an empty one is accepted, since clients send the content type with it. */
export function readJson(app: FastifyInstance): void {
	app.removeContentTypeParser('application/json');
	app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
		if (text.length === 0) {
			done(null, undefined);
			return;
		}
		try {
			done(null, JSON.parse(text.toString()));
		} catch {
			done(new ApiError('invalid_request', 'The body is not valid JSON'));
		}
	});
}

function handleErrors(app: FastifyInstance): void {
	app.setErrorHandler<FastifyError | ApiError>(async (error, request, reply) => {
		const failure = asApiError(error);
		const path = request.url.slice(apiPrefix.length);
		const catalogue = /^\/(media\/)?models(\?|$)/.test(path);
		const withoutParam = catalogue && failure.status === 500;
		const { status, body } = renderError(failure, errorFormatOf(path), withoutParam);
		const { retryAfter } = failure.details;
		if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
		await reply.code(status).send(body);
	});
	app.setNotFoundHandler((request) => {
		throw new ApiError('not_found', `${request.method} ${request.url.split('?')[0]} does not exist`);
	});
}

/** Turns errors of fastify into the matching error of §7. */
function asApiError(error: FastifyError | ApiError): ApiError {
	if (error instanceof ApiError) return error;
	const status = error.statusCode ?? 500;
	if (status === 413) return new ApiError('payload_too_large');
	if (status >= 400 && status < 500) return new ApiError('invalid_request', error.message);
	return new ApiError('internal_error', error.message);
}
