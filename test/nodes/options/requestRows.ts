import { eventually } from '../../helpers/time';
import { always, call, callAtOnce, EACH, gateway, ofCalls, requests, type Place, type Row } from './places';

// Options of requests.

/** Where nothing else is asked for, a catalogue or the balance. */
const asked = () => (ofCalls().length > 0 ? ofCalls() : requests());

const isWaiting = ({ operation }: Place) => operation === 'wait';

export const requestRows: Record<string, Row> = {
	/** The seconds after which a request without a response ends. */
	timeout: {
		see: async (place) => {
			gateway.control.addFault({ ...always, action: { kind: 'hang' } });
			await call(place, { timeout: 2, maxRetries: 0, ...(isWaiting(place) ? { maxWait: 0.1 } : {}) });
			await eventually(() => asked()[0]?.outcome === 'aborted');
			const [first] = asked();
			return Math.round(((first?.endedAt ?? NaN) - (first?.startedAt ?? NaN)) / 1_000);
		},
		right: () => 2,
	},
	/** How many requests are sent while the gateway fails, with 0 and with 2. */
	maxRetries: {
		see: async (place) => {
			gateway.control.addFault({ ...always, action: { kind: 'error', code: 'service_unavailable' } });
			const counts: number[] = [];
			for (const maxRetries of [0, 2]) {
				const before = asked().length;
				await call(place, { maxRetries });
				counts.push(asked().length - before);
			}
			return counts;
		},
		right: () => [1, 3],
	},
	/** The half minutes for which a call waits above the limit of the account, and whether its error says why. */
	rateLimitWait: {
		see: async (place) => {
			const begin = Date.now();
			gateway.control.addFault({ ...always, action: { kind: 'error', code: 'rate_limit_exceeded' } });
			const { errors } = await call(place, { rateLimitWait: 0.5 });
			return [Math.round((Date.now() - begin) / 30_000), errors.includes('too many requests')];
		},
		right: () => [1, true],
	},
	/** How many requests are in flight at the same time: what the first item says counts for all. */
	concurrency: {
		see: async (place) => {
			const { requests: held, release } = gateway.control.hold({
				which: ({ group }) => group !== 'catalogue',
			});
			let most = 0;
			void eventually(() => held.length > 0).then(() => {
				most = held.length;
				release();
			});
			await callAtOnce(place, { concurrency: EACH, maxRetries: 0 }, { values: [3, 1, 9, 9, 1] });
			return most;
		},
		// Polls have slots of their own.
		right: (place) => (isWaiting(place) ? 5 : 3),
	},
};

/** Whether an option has no effect: a poll that fails is repeated until *Max Wait*, whatever these say. */
export const hasNoEffect = (place: Place, option: string) =>
	(isWaiting(place) && ['maxRetries', 'rateLimitWait'].includes(option)) ||
	// It asks for the tasks of nodes before it: stories/executionTasks.
	place.operation === 'getFromExecution' ||
	// A text with sound or pictures: stories/fileNames.
	(place.node === 'textGeneration' && option === 'fileName');
