import type { FaultAction, Gateway, FaultRule } from '../../sandbox/gateway/gateway';
import type { Fate, History, Kind } from './history';

const matches: Record<Kind, FaultRule['match']> = {
	create: { method: 'POST', path: '/async/media/tasks' },
	text: { method: 'POST', path: '/chat/completions' },
	poll: { method: 'GET', path: '/async/media/tasks/*' },
	catalogue: { method: 'GET', path: '*/models' },
	upload: { method: 'POST', path: '/storage/upload' },
	file: { host: 'files', path: '/files/*' },
};

function actionOf(fate: Fate, elsewhere: string): FaultAction {
	switch (fate) {
		case 'ok':
			return { kind: 'pass' };
		case 'invalid':
			return { kind: 'error', code: 'invalid_request' };
		case 'noMoney':
			return { kind: 'error', code: 'insufficient_quota' };
		case 'busy':
			return { kind: 'error', code: 'rate_limit_exceeded' };
		case 'busyAfterSeconds':
			return { kind: 'error', code: 'rate_limit_exceeded', retryAfter: 2 };
		case 'unavailable':
			return { kind: 'error', code: 'service_unavailable' };
		case 'error':
			return { kind: 'error', code: 'internal_error' };
		case 'errorAfter':
			return { kind: 'error', code: 'internal_error', afterEffect: true };
		case 'timeoutAfter':
			return { kind: 'error', code: 'gateway_timeout', afterEffect: true };
		case 'page':
			return { kind: 'raw', status: 502, body: 'html' };
		case 'pageAfter':
			return { kind: 'raw', status: 502, body: 'html', afterEffect: true };
		case 'cut':
			return { kind: 'cutBefore' };
		case 'lost':
			return { kind: 'loseResponse' };
		case 'cutBody':
		case 'stallBody':
			return { kind: fate };
		case 'hang':
			return { kind: 'hang' };
		case 'hangAfter':
			return { kind: 'hang', afterEffect: true };
		case 'drip':
			return { kind: 'dripBody', everyMs: 300 };
		case 'redirect':
			return { kind: 'redirect', location: elsewhere };
	}
}

/** Prepares the gateway for a history. */
export async function prepareGateway({ control, filesUrl }: Gateway, history: History): Promise<void> {
	const [least, most] = history.duration;
	const image = [least * 1000, most * 1000] as const;
	await control.reset();
	control.configure({
		render: 'placeholder',
		taskDuration: { image },
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
	for (const [kind, list] of Object.entries(history.fates)) {
		const match = matches[kind as Kind];
		for (const fate of list)
			control.addFault({ ...(match && { match }), action: actionOf(fate, `${filesUrl}/elsewhere`) });
	}
}

/** A charge, with the order that it is for. */
export interface Charge {
	order: string;
	taskId: string | undefined;
	/** Whether a response that names the task, or is the text, has arrived. */
	isKnown: boolean;
	/** Decimal text, in rubles. */
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
export function charges({ control }: Gateway, answered: ReadonlySet<string>): Charge[] {
	const requests = control.requests({ host: 'api' });
	const ways = new Map(control.faults().map(({ id, action }) => [id, action.kind]));
	const isGood = (record: (typeof requests)[number]): boolean =>
		answered.has(record.id) &&
		(record.status ?? 0) < 300 &&
		record.faults.every((id) => ways.get(id) === 'pass');
	const tasks = new Map(control.tasks().map((task) => [task.taskId, task]));
	return control.ledger().map(({ taskId, requestId, idempotencyKey, amount, account }) => {
		const isSame = ({ id, headers }: (typeof requests)[number]): boolean =>
			id === requestId || (idempotencyKey !== undefined && headers['idempotency-key'] === idempotencyKey);
		const same = requests.filter(isSame);
		const input = taskId === undefined ? same[0]?.body.json : tasks.get(taskId)?.input;
		return { order: orderOf(JSON.stringify(input)), taskId, isKnown: same.some(isGood), amount, account };
	});
}

/** The order that a text names: `<run>.<item>`. */
export function orderOf(text: string): string {
	return /order (\d+\.\d+)/.exec(text)?.[1] ?? '?';
}
