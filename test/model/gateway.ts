import type { FaultAction, Gateway, FaultRule, RequestRecord } from '../../sandbox/gateway/gateway';
import type { Execution } from './execution';
import type { Outcome, History, Kind } from './history';

const matches: Record<Kind, FaultRule['match']> = {
	create: { method: 'POST', path: '/async/media/tasks' },
	text: { method: 'POST', which: ({ group }) => group === 'chat' || group === 'messages' },
	poll: { method: 'GET', path: '/async/media/tasks/*' },
	catalogue: { method: 'GET', path: '*/models' },
	upload: { method: 'POST', path: '/storage/upload' },
	file: { host: 'files', path: '/files/*' },
};

const actions: Record<Exclude<Outcome, 'redirect'>, FaultAction> = {
	ok: { kind: 'pass' },
	invalid: { kind: 'error', code: 'invalid_request' },
	noMoney: { kind: 'error', code: 'insufficient_quota' },
	busy: { kind: 'error', code: 'rate_limit_exceeded' },
	busyAfterSeconds: { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 2 },
	unavailable: { kind: 'error', code: 'service_unavailable' },
	error: { kind: 'error', code: 'internal_error' },
	errorAfter: { kind: 'error', code: 'internal_error', afterEffect: true },
	timeoutAfter: { kind: 'error', code: 'gateway_timeout', afterEffect: true },
	page: { kind: 'raw', status: 502, body: 'html' },
	pageAfter: { kind: 'raw', status: 502, body: 'html', afterEffect: true },
	cut: { kind: 'cutBefore' },
	lost: { kind: 'loseResponse' },
	cutBody: { kind: 'cutBody' },
	stallBody: { kind: 'stallBody' },
	hang: { kind: 'hang' },
	hangAfter: { kind: 'hang', afterEffect: true },
	drip: { kind: 'dripBody', everyMs: 300 },
};

/** Prepares the gateway for a history. */
export async function prepareGateway({ control, filesUrl }: Gateway, history: History): Promise<void> {
	const [least, most] = history.duration;
	const image = [least * 1000, most * 1000] as const;
	const latency = [1000 * history.latency[0], 1000 * history.latency[1]] as const;
	await control.reset();
	control.configure({
		render: 'placeholder',
		taskDuration: { image },
		latency: { chat: latency, messages: latency, mediaCreate: latency },
		rateLimit: history.limit && {
			requestsPerMinute: history.limit.requests,
			windowMs: 10_000,
			retryAfter: history.limit.retryAfter,
		},
		callbacks: {
			mode: history.callbacks === 'off' ? 'off' : 'on',
			copies: history.callbacks === 'twice' ? 2 : 1,
		},
	});
	if (history.lagMs > 0) {
		const isNew = ({ method, path }: RequestRecord): boolean => {
			const task = control.tasks().find(({ taskId }) => path.endsWith(`/${taskId}`));
			return method === 'GET' && task !== undefined && task.createTime > Date.now() - history.lagMs;
		};
		control.addFault({ match: { which: isNew }, action: { kind: 'error', code: 'not_found' }, times: 0 });
	}
	for (const [kind, list] of Object.entries(history.outcomes)) {
		const match = matches[kind as Kind];
		for (const outcome of list) {
			const location = `${filesUrl}/elsewhere`;
			const action = outcome === 'redirect' ? ({ kind: outcome, location } as const) : actions[outcome];
			control.addFault({ ...(match && { match }), action });
		}
	}
}

/** A charge, with the order that it is for. */
export interface Charge {
	order: string;
	/** During which it was made. */
	execution: Execution | undefined;
	taskId: string | undefined;
	/** Whether the task has failed. */
	hasFailed: boolean;
	/** Whether somebody has deleted it. */
	isDeleted: boolean;
	/** Unix milliseconds. */
	time: number;
	/** Whether a response that names the task, or is the text, has arrived. */
	isKnown: boolean;
	/** Decimal text in rubles. */
	amount: string;
	account: string;
}

/** The account of every second item, where there are two. */
export const OTHER_ACCOUNT = 'other';

/**
 * Every charge of the gateway.
 *
 * @param answered the IDs of the requests whose responses have arrived whole
 */
export function charges(
	{ control }: Gateway,
	answered: ReadonlySet<string>,
	executions: readonly Execution[],
): Charge[] {
	const requests = control.requests({ host: 'api' });
	const ways = new Map(control.faults().map(({ id, action }) => [id, action.kind]));
	const isGood = (record: (typeof requests)[number]): boolean =>
		answered.has(record.id) &&
		(record.status ?? 0) < 300 &&
		record.faults.every((id) => ways.get(id) === 'pass');
	const tasks = new Map(control.tasks().map((task) => [task.taskId, task]));
	return control.ledger().map(({ time, taskId, requestId, idempotencyKey, amount, account }) => {
		const own = requests.find(({ id }) => id === requestId);
		const isSame = ({ id, key, headers }: (typeof requests)[number]): boolean =>
			id === requestId ||
			(idempotencyKey !== undefined && key === own?.key && headers['idempotency-key'] === idempotencyKey);
		const task = tasks.get(taskId ?? '');
		return {
			order: orderOf(JSON.stringify(task?.input ?? own?.body.json)),
			execution: executions.findLast(({ began }) => began <= time),
			taskId,
			hasFailed: task?.state === 'fail',
			isDeleted: task?.deleted ?? false,
			time,
			isKnown: requests.some((request) => isSame(request) && isGood(request)),
			amount,
			account,
		};
	});
}

/** Deletes the tasks of a history's items that are to be deleted, as their owner. */
export async function deleteTasks(
	{ baseUrl, control }: Gateway,
	{ deleted }: History,
	keys: readonly string[],
): Promise<void> {
	const isMeant = (text: string) => deleted.some((item) => orderOf(text).split('.').at(-2) === `${item}`);
	for (const { taskId } of control.tasks().filter((task) => isMeant(JSON.stringify(task.input)))) {
		const url = `${baseUrl}/async/media/tasks/${taskId}`;
		for (const key of keys)
			await fetch(url, { method: 'DELETE', headers: { Authorization: `Bearer ${key}` } });
	}
}

/** The requests that cost money, with their times. */
export function asked(
	{ control }: Gateway,
	answered: ReadonlySet<string>,
): Array<{ order: string; at: number; isClear: boolean }> {
	const isPaid = ({ group }: RequestRecord) => ['chat', 'messages', 'mediaCreate'].includes(group);
	const requests = control.requests({ host: 'api', method: 'POST' }).filter(isPaid);
	return requests.map(({ id, body, startedAt, status }) => ({
		order: orderOf(JSON.stringify(body.json)),
		at: startedAt,
		// Whether its response says what it has cost.
		isClear: answered.has(id) && status !== null && status < 499,
	}));
}

/** The order that a text names. */
export function orderOf(text = ''): string {
	return /order ([\w.]+)/.exec(text)?.[1] ?? '?';
}
