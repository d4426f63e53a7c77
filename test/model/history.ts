import fc from 'fast-check';

/** What becomes of a request: with `After`, `lost` and `…Body`, it has its effect first. */
export const fates = [
	'ok',
	'invalid',
	'noMoney',
	'busy',
	'busyAfterSeconds',
	'unavailable',
	'error',
	'errorAfter',
	'timeoutAfter',
	'page',
	'pageAfter',
	'cut',
	'lost',
	'cutBody',
	'stallBody',
	'hang',
	'hangAfter',
	'drip',
	'redirect',
] as const;
export type Fate = (typeof fates)[number];

/** The kinds of requests, each with fates of its own. */
export const kinds = ['create', 'text', 'poll', 'catalogue', 'upload', 'file'] as const;
export type Kind = (typeof kinds)[number];

/** When the user cancels: as the n-th request begins, or as the gateway receives it, or after a time. */
export type Cancel = { sent: number } | { received: number } | { afterMs: number };

/** What happens to one execution of a workflow with one node of the package. */
export interface History {
	operation: 'create' | 'poll' | 'suspend' | 'text';
	items: number;
	/** Whether the item's input differs each time that it is read. */
	input: 'same' | 'now' | 'random';
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** *Max. Tries* of *Retry On Fail*; 1 is off. */
	tries: number;
	maxRetries: number;
	concurrency: number;
	scope: 'execution' | 'workflow';
	/** Each item has a file for the model. */
	hasFile: boolean;
	download: boolean;
	/** *Max Wait* in seconds. */
	maxWait: number;
	/** How long a task takes, in seconds. */
	duration: [number, number];
	/** The items whose tasks fail. */
	failing: number[];
	fates: Record<Kind, Fate[]>;
	/** Whether the outputs go through the node a second time. */
	loop: boolean;
	/** The most requests of the account in ten seconds, and whether a refusal says when to come again. */
	limit: { requests: number; retryAfter: 'none' | 'seconds' } | null;
	cancel: Cancel | null;
	callbacks: 'on' | 'off' | 'twice';
	/** *Max Cost per Execution* in rubles. */
	maxCost: number | null;
	/** With two, every second item has the key of another account. */
	accounts: 1 | 2;
	/** Whether somebody presses *Retry* when the execution has failed. */
	retried: boolean;
	/** Whether the node is the tool of an agent, which calls it twice with the same input. */
	repeated: boolean;
	/** Callbacks that nobody expects, by seconds after the start and the item that they name. */
	forged: Array<{ after: number; item: number | null }>;
}

const ok: Record<Kind, Fate[]> = { create: [], text: [], poll: [], catalogue: [], upload: [], file: [] };

const bool = fc.boolean();
const seconds = (...values: number[]) => fc.constantFrom(...values);

/** Mostly requests that succeed at first, and then any. */
const someFates = (...extra: Fate[]): fc.Arbitrary<Fate[]> => {
	const one = fc.oneof(
		{ weight: 3, arbitrary: fc.constant<Fate>('ok') },
		{ weight: 5, arbitrary: fc.constantFrom(...fates) },
		...(extra.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...extra) }] : []),
	);
	return fc.oneof(
		{ weight: 1, arbitrary: fc.constant<Fate[]>([]) },
		{ weight: 2, arbitrary: fc.array(one, { maxLength: 10 }) },
	);
};

const rarely = <T>(value: fc.Arbitrary<T>, otherwise: T): fc.Arbitrary<T> =>
	fc.oneof({ weight: 4, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value });

/** Histories of these operations. */
export function histories(operations: ReadonlyArray<History['operation']>): fc.Arbitrary<History> {
	const any: fc.Arbitrary<History> = fc.record({
		operation: fc.constantFrom(...operations),
		items: fc.integer({ min: 1, max: 6 }),
		input: fc.constantFrom('same', 'same', 'now', 'random'),
		onError: fc.constantFrom('stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
		tries: fc.constantFrom(1, 2, 3, 5),
		maxRetries: fc.integer({ min: 0, max: 3 }),
		concurrency: fc.constantFrom(8, 1, 2, 3),
		scope: fc.constantFrom('execution', 'execution', 'workflow'),
		hasFile: rarely(bool, false),
		download: bool,
		maxWait: seconds(30, 6, 15),
		duration: fc.constantFrom<Array<[number, number]>>([0, 0], [2, 2], [1, 14], [20, 80], [3600, 3600]),
		failing: rarely(fc.uniqueArray(fc.nat(5), { maxLength: 2 }), []),
		fates: fc.record({
			create: someFates('lost', 'cut', 'errorAfter'),
			text: someFates('lost', 'cut', 'hangAfter'),
			poll: rarely(someFates(), []),
			catalogue: rarely(someFates(), []),
			upload: rarely(someFates(), []),
			file: rarely(someFates(), []),
		}),
		loop: rarely(bool, false),
		limit: rarely<History['limit']>(
			fc.record({
				requests: fc.integer({ min: 2, max: 8 }),
				retryAfter: fc.constantFrom('none', 'seconds'),
			}),
			null,
		),
		cancel: rarely<Cancel | null>(
			fc.oneof(
				fc.record({ sent: fc.integer({ min: 1, max: 20 }) }),
				fc.record({ received: fc.integer({ min: 1, max: 20 }) }),
				fc.record({ afterMs: fc.integer({ min: 1, max: 30_000 }) }),
			),
			null,
		),
		callbacks: fc.constantFrom('on', 'off', 'twice'),
		maxCost: fc.constantFrom(null, 0, 0.004, 0.01, 2, 4, 7, 14, 100),
		accounts: rarely<1 | 2>(fc.constantFrom(1, 2), 1),
		retried: bool,
		repeated: rarely(bool, false),
		forged: rarely(
			fc.array(fc.record({ after: fc.nat(60), item: fc.option(fc.nat(7)) }), { maxLength: 3 }),
			[],
		),
	});
	return any.map(plain);
}

/** The gateway's own 500 may be repeated (§7.6), so the gateway must not charge a text for it. */
const isFreeError = (fate: Fate) => fate !== 'errorAfter' && fate !== 'pageAfter';

/** Resets what has no effect, so that a history shows only what matters. */
function plain(history: History): History {
	const isText = history.operation === 'text';
	const isWaiting = history.operation === 'poll' || history.operation === 'suspend';
	const { fates: all } = history;
	const fails = isWaiting && history.failing.length > 0;
	// A text that failed is sent again, and a failed task is created again: the person wants that.
	const isOrderedAgain = isText || fails || (history.scope === 'workflow' && history.input !== 'same');
	const canBeRetried =
		history.onError === 'stopWorkflow' && !isOrderedAgain && !history.loop && !history.cancel;
	const isAnotherOrder = history.scope === 'workflow' && history.input !== 'same';
	const canBeTool = !isText && history.operation !== 'suspend' && !isAnotherOrder;
	const repeated = history.repeated && canBeTool && !history.loop && !history.cancel;
	return {
		...history,
		repeated,
		items: repeated ? 1 : history.items,
		retried: history.retried && canBeRetried && !repeated,
		// The key is taken from the item, which another node or n8n itself may have replaced.
		accounts: history.loop ? 1 : history.accounts,
		...(isText ? { scope: 'execution', hasFile: false, failing: [] } : {}),
		...(isWaiting ? {} : { maxWait: 30, duration: [0, 0], failing: [] }),
		download: history.download && isWaiting,
		...(history.operation === 'suspend' ? { maxWait: 70 } : { callbacks: 'on', forged: [] }),
		...(isWaiting ? { tries: Math.min(history.tries, 3) } : {}),
		fates: {
			...ok,
			catalogue: all.catalogue,
			...(isText ? { text: all.text.filter(isFreeError) } : { create: all.create }),
			...(isWaiting ? { poll: all.poll } : {}),
			...(history.hasFile && !isText ? { upload: all.upload } : {}),
			...(history.download && isWaiting ? { file: all.file } : {}),
		},
	};
}
