import { BalanceTrigger } from '../../../nodes/BalanceTrigger/BalanceTrigger.node';
import type { FaultAction, FaultRule } from '../../../sandbox/gateway/gateway';
import { pollContext } from '../../helpers/contexts';
import { sendCallback } from '../mediaTaskTrigger/support';
import { gateway } from './places';

// Triggers have no options for requests. How often they are sent, how long they wait, and what comes of it.

const FAILS: FaultAction = { kind: 'error', code: 'service_unavailable' };
const LIMITED: FaultAction = { kind: 'error', code: 'rate_limit_exceeded' };
const HANGS: FaultAction = { kind: 'hang' };

/** Does something while some requests are disturbed: the outcome; how many there were, and the seconds of the first one and of all. */
async function disturbed<T>(
	match: NonNullable<FaultRule['match']>,
	action: FaultAction,
	work: () => Promise<T>,
) {
	const { host = 'api', path = '', method = 'GET' } = match;
	const requests = () => gateway.control.requests({ host, path, method });
	const before = requests().length;
	// One that hangs is sent again with success.
	gateway.control.addFault({ match, action, times: action === HANGS ? 1 : 0 });
	const begin = Date.now();
	const outcome = await work();
	const seconds = Math.round((Date.now() - begin) / 1_000);
	const sent = requests().slice(before);
	const [{ startedAt = 0, endedAt } = {}] = sent;
	return { outcome, sent: sent.length, first: Math.round(((endedAt ?? NaN) - startedAt) / 1_000), seconds };
}

const credential = () => ({ baseUrl: gateway.baseUrl, apiKey: gateway.apiKey });

const POLL = { method: 'GET', path: '/async/media/tasks/*' };
const ARCHIVE = { method: 'PATCH', path: '/async/media/tasks/*/archive' };
const FILE = { host: 'files', path: '/files/*' } as const;

const STARTED = [200, ['data'], undefined];
const WITHOUT_FILE = [200, [], 'The server of the file responded with status 503'];
const NOT_CHECKED = [503, undefined, undefined];

describe('the callback of a task', () => {
	it.each([
		['the poll fails', POLL, FAILS, { sent: 9, first: 0, outcome: NOT_CHECKED }],
		['the poll is above the rate limit', POLL, LIMITED, { first: 0, seconds: 900, outcome: NOT_CHECKED }],
		['the poll gets no response', POLL, HANGS, { sent: 2, first: 60, outcome: STARTED }],
		['the file cannot be downloaded', FILE, FAILS, { sent: 9, first: 0, outcome: WITHOUT_FILE }],
		['the file does not arrive', FILE, HANGS, { sent: 2, first: 315, outcome: STARTED }],
		['the task cannot be archived', ARCHIVE, FAILS, { sent: 9, first: 0, outcome: STARTED }],
		['archiving gets no response', ARCHIVE, HANGS, { sent: 2, first: 315, outcome: STARTED }],
	])('%s', async (_, match, action, expected) => {
		const { items } = await gateway.draw({ downloadResults: false });
		const body = { taskId: items[0]?.json.taskId };
		const seen = await disturbed(match, action, async () => {
			const parameters = { options: { archiveTask: true } };
			const { status, item } = await sendCallback(parameters, { body }, { credential: credential() });
			const { downloadError } = (item?.json ?? {}) as { downloadError?: { message: string } };
			return [status, item && Object.keys(item.binary ?? {}), downloadError?.message];
		});
		expect(seen).toMatchObject(expected);
	});
});

describe('the poll of the balance', () => {
	const FIRED = [{ lowBalance: true, amount: '77.70' }];

	it.each([
		['fails', FAILS, { sent: 4, first: 0, outcome: 'The gateway is not available at the moment' }],
		[
			'is above the rate limit',
			LIMITED,
			{ first: 0, seconds: 60, outcome: 'The gateway receives too many requests from this account' },
		],
		['gets no response', HANGS, { sent: 2, first: 315, outcome: FIRED }],
	])('%s', async (_, action, expected) => {
		gateway.control.setBalance('77.7');
		const parameters = { fireOn: 'below', threshold: 100 };
		const options = { node: 'balanceTrigger', parameters, mode: 'trigger', store: {} } as const;
		const context = pollContext({ ...options, credential: credential() });
		const seen = await disturbed({ path: '/balance' }, action, async () => {
			const fired = new BalanceTrigger().poll.call(context);
			return await fired.then(
				(outputs) => outputs?.[0]?.map(({ json }) => json),
				(error: Error) => error.message,
			);
		});
		expect(seen).toMatchObject(expected);
	});
});
