/** The two catalogues (§4.4, §4.5): public, with the account's prices for requests with a key. */
import type { FastifyInstance } from 'fastify';
import { identify } from '../auth';
import type { GatewayContext } from '../context';
import { mediaModelRecord, mediaModels } from './mediaModels';
import { textModelRecord, textModels } from './textModels';

export function catalogueRoutes(app: FastifyInstance, context: GatewayContext): void {
	app.get('/models', (request) => {
		const forAccount = identify(context, request) !== null;
		return { object: 'list', data: textModels.map((model) => textModelRecord(model, forAccount)) };
	});
	app.get('/media/models', (request) => {
		const forAccount = identify(context, request) !== null;
		return { object: 'list', data: mediaModels.map((model) => mediaModelRecord(model, forAccount)) };
	});
}
