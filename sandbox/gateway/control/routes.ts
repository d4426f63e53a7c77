/** Control for other processes: the methods of `GatewayControl` as JSON routes (listed in README.md). */
import { Ajv } from 'ajv';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { readJson } from '../app';
import { ApiError, isErrorCode } from '../errors';
import type { GatewayControl } from '../gateway';
import { isObject } from '../jsonSchema';
import type {
	BigFileOptions,
	FaultRule,
	ForgedCallback,
	KeyView,
	PlanRestrictions,
	RequestRecord,
	SettingsPatch,
} from './types';

export function controlRoutes(control: GatewayControl): FastifyPluginAsync {
	return async (app) => {
		readJson(app);
		app.setErrorHandler<Error>(async (error, _request, reply) => {
			const status = error instanceof ApiError ? error.status : 400;
			await reply.code(status).send({ error: { message: error.message } });
		});
		settingsRoutes(app, control);
		faultRoutes(app, control);
		viewRoutes(app, control);
		accountRoutes(app, control);
		taskRoutes(app, control);
		fileRoutes(app, control);
		app.post('/reset', async (_request, reply) => {
			await control.reset();
			return await reply.code(204).send();
		});
		return Promise.resolve();
	};
}

function settingsRoutes(app: FastifyInstance, control: GatewayControl): void {
	app.get('/settings', () => control.settings());
	app.patch<{ Body: SettingsPatch }>('/settings', (request) => {
		const known = control.settings();
		const unknown = Object.keys(request.body ?? {}).filter((name) => !Object.hasOwn(known, name));
		if (unknown.length > 0) throw new Error(`Unknown settings: ${unknown.join(', ')}`);
		return control.configure(request.body ?? {});
	});
}

const kinds = [
	'pass',
	'error',
	'raw',
	'cutBefore',
	'cutBody',
	'stallBody',
	'dripBody',
	'hang',
	'loseResponse',
	'redirect',
	'delay',
	'stream',
];
const isFaultRule = new Ajv({ strict: false }).compile<FaultRule>({
	type: 'object',
	required: ['action'],
	properties: {
		match: { type: 'object' },
		times: { type: 'integer', minimum: 0 },
		action: { type: 'object', required: ['kind'], properties: { kind: { enum: kinds } } },
	},
	additionalProperties: false,
});

function readRule(value: unknown): FaultRule {
	if (!isFaultRule(value)) throw new Error(`Not a fault rule; action.kind is one of ${kinds.join(', ')}`);
	if (value.action.kind === 'error' && !isErrorCode(value.action.code)) throw new Error('Unknown error code');
	return value;
}

function faultRoutes(app: FastifyInstance, control: GatewayControl): void {
	app.get('/faults', () => control.faults());
	app.post('/faults', (request) => {
		const { body } = request;
		if (!Array.isArray(body)) return control.addFault(readRule(body));
		return body.map(readRule).map((rule) => control.addFault(rule));
	});
	app.delete('/faults', async (_request, reply) => {
		control.clearFaults();
		return await reply.code(204).send();
	});
}

type RequestQuery = { host?: RequestRecord['host']; path?: string; method?: string };

function viewRoutes(app: FastifyInstance, control: GatewayControl): void {
	app.get<{ Querystring: RequestQuery }>('/requests', (request) => control.requests(request.query));
	app.get<{ Querystring: { account?: string } }>('/ledger', (request) =>
		control.ledger(request.query.account),
	);
	app.get('/concurrency', () => control.concurrency());
	app.get('/callbacks', () => control.callbacks());
	app.get('/tasks', () => control.tasks());
	app.get('/keys', () => control.keys());
	app.get<{ Querystring: { account?: string } }>('/balance', (request) => ({
		amount: control.balance(request.query.account),
	}));
}

function accountRoutes(app: FastifyInstance, control: GatewayControl): void {
	app.put<{ Body: { amount: string; account?: string } }>('/balance', (request) => {
		const { amount, account } = request.body;
		control.setBalance(amount, account);
		return { amount: control.balance(account) };
	});
	app.post<{ Body?: { account?: string; status?: KeyView['status'] } }>('/keys', (request) =>
		control.createKey(request.body),
	);
	app.patch<{ Params: { key: string }; Body: { status: KeyView['status'] } }>(
		'/keys/:key',
		async (request, reply) => {
			control.setKeyStatus(request.params.key, request.body.status);
			return await reply.code(204).send();
		},
	);
	app.put<{ Body: { restrictions: PlanRestrictions | null; account?: string } }>(
		'/restrictions',
		async (request, reply) => {
			control.restrict(request.body.restrictions, request.body.account);
			return await reply.code(204).send();
		},
	);
}

function taskRoutes(app: FastifyInstance, control: GatewayControl): void {
	app.post<{ Params: { id: string } }>('/tasks/:id/finish', async (request) => {
		const { body } = request;
		if (!isObject(body) || typeof body.failCode !== 'string')
			return await control.finishTask(request.params.id);
		const { failCode, failMsg = 'Failed' } = body;
		return await control.finishTask(request.params.id, { failCode, failMsg: String(failMsg) });
	});
	app.post<{ Params: { id: string } }>(
		'/tasks/:id/callback',
		async (request) => await control.repeatCallback(request.params.id),
	);
	app.post<{ Body: ForgedCallback }>(
		'/callbacks',
		async (request) => await control.forgeCallback(request.body),
	);
}

function fileRoutes(app: FastifyInstance, control: GatewayControl): void {
	app.post<{ Body: BigFileOptions }>('/files', (request) => control.createBigFile(request.body));
	app.post<{ Params: { id: string } }>('/files/:id/expire', async (request, reply) => {
		control.expireFile(request.params.id);
		return await reply.code(204).send();
	});
}
