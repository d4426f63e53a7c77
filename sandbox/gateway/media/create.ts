/** Creating a media task (§4.6): checks, price, charge; a repeat of the same key changes nothing. */
import type { FastifyRequest } from 'fastify';
import type { Account } from '../accounts';
import { findMediaModel, type MediaModel } from '../catalogue/mediaModels';
import type { GatewayContext } from '../context';
import { traceOf } from '../control/instrument';
import { ApiError } from '../errors';
import type { Charge } from '../ledger';
import { isObject, type JsonObject } from '../jsonSchema';
import { idempotencyKeyOf } from '../text/call';
import { throwMarkedError } from '../text/markers';
import { taskPrice } from './pricing';
import { promptOf } from './render/words';
import type { MediaTask } from './task';
import { checkedBody, taskFields, validInput } from './validate';

export function createTask(context: GatewayContext, request: FastifyRequest, account: Account): MediaTask {
	const key = idempotencyKeyOf(request);
	if (!isObject(request.body)) throw new ApiError('invalid_request', 'The body must be a JSON object');
	const original = context.tasks.repeated(account, key);
	if (original) return original;
	const body = checkedBody(taskFields, request.body, 'invalid_input');
	const model = readModel(body);
	// Its schema decides about null.
	const input = validInput(model, request.body.input);
	throwMarkedError(promptOf(input));
	const callBackUrl = readCallBackUrl(body);
	const sessionId = readSession(context, account, body);
	const price = taskPrice(model, input);
	if (price === null) throw new ApiError('invalid_input', 'input: no price tier fits these values');
	if (account.wallet < price) throw new ApiError('insufficient_quota');
	const task = context.tasks.create(account, {
		model,
		input,
		price,
		callBackUrl,
		sessionId,
		idempotencyKey: key ?? null,
	});
	const charge: Charge = {
		kind: 'media',
		endpoint: 'POST /async/media/tasks',
		model: model.id,
		requestId: traceOf(request).record.id,
		taskId: task.id,
		idempotencyKey: key,
	};
	context.ledger.charge(account, price, charge);
	task.refund = () => context.ledger.charge(account, -price, charge);
	return task;
}

/** §4.6: an unknown model gives 422. */
function readModel({ model: id }: JsonObject): MediaModel {
	const model = findMediaModel(String(id));
	if (!model) throw new ApiError('invalid_input', `model: ${String(id)} does not exist`);
	return model;
}

function readCallBackUrl({ callBackUrl }: JsonObject): string | null {
	if (typeof callBackUrl !== 'string') return null;
	if (!/^https?:\/\//.test(callBackUrl) || !URL.canParse(callBackUrl)) {
		throw new ApiError('invalid_input', 'callBackUrl: must be an http or https URL');
	}
	return callBackUrl;
}

function readSession(context: GatewayContext, account: Account, { sessionId }: JsonObject): string | null {
	if (typeof sessionId !== 'string') return null;
	if (context.sessions.get(sessionId) !== account.name) throw new ApiError('not_found', 'Session not found');
	if (context.tasks.sessionBusy(sessionId)) throw new ApiError('conflict');
	return sessionId;
}
