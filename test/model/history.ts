import fc from 'fast-check';

/** What becomes of a request: with `After`, `lost` and `…Body`, it has its effect first. */
export const outcomes = [
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
export type Outcome = (typeof outcomes)[number];

/** The kinds of requests, each with outcomes of its own. */
export const kinds = ['create', 'text', 'poll', 'catalogue', 'upload', 'file'] as const;
export type Kind = (typeof kinds)[number];

export type Operation = 'create' | 'poll' | 'suspend' | 'text' | 'agent';

/** What an agent calls: a media task or a text as its tool, or its chat model. */
export type Call = 'task' | 'text' | 'chat';

/**
 * What ends an execution: as the n-th request begins, or as the gateway receives it, or some steps of the process after a
 * response has arrived, when calls that waited for it begin, or after a time.
 */
type Stop = { by: 'user' | 'crash' } & (
	| { sent: number }
	| { received: number }
	| { answered: number; ticks: number }
	| { afterMs: number }
);

/** What a person has edited before a *Retry*: nothing, or how a prompt is written, or what changes no request. */
type Edit = 'none' | 'prompt' | 'settings';

/** What happens to an execution of a workflow with nodes of the package, and to its retries. */
export interface History {
	/** Those of the nodes, which run one after the other. */
	operations: Operation[];
	/** How often the prompts have been edited. */
	edition: number;
	items: number;
	/** Whether the item's input differs each time that it is read. */
	input: 'same' | 'now' | 'random';
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	/** *Max. Tries* of *Retry On Fail*; 1 is off. */
	tries: number;
	maxRetries: number;
	concurrency: number;
	/** *Idempotency Key*: the same in all nodes and rounds, one for each item or one for all; or another in each try. */
	ownKey: null | 'perItem' | 'forAll' | 'perTry';
	/** Whether the inputs that have the same one are equal. */
	isEqual: boolean;
	/** Each item of the first node has a file for the model. */
	hasFile: boolean;
	download: boolean;
	/** *Max Wait* in seconds. */
	maxWait: number;
	/** How long a task takes, in seconds. */
	duration: [number, number];
	/** How long the gateway does not know a new task, in milliseconds. */
	lagMs: number;
	/** The items whose tasks fail. */
	failing: number[];
	/** The items whose tasks somebody deletes before each *Retry*. */
	deleted: number[];
	/** The format of texts. With Messages, the response has no cost: it is computed. */
	format: 'chat' | 'messages';
	outcomes: Record<Kind, Outcome[]>;
	/** Whether the items go through the nodes a second time. */
	loop: boolean;
	/** The most requests of the account in ten seconds, and whether a refusal says when to come again. */
	limit: { requests: number; retryAfter: 'none' | 'seconds' } | null;
	stop: Stop | null;
	/** *Save execution progress*: a crash loses only what was not stored when the last node ended. */
	savesProgress: boolean;
	/** n8n redacts the workflow's data: nodes store no outputs. */
	isRedacted: boolean;
	/** Another workflow executes it. */
	isSubWorkflow: boolean;
	callbacks: 'on' | 'off' | 'twice';
	/** *Max Cost per Execution* in rubles. */
	maxCost: number | null;
	/** The nodes, and the calls of agents, without it. */
	unlimited: Array<number | Call>;
	/** What an agent calls for each item, at the same time; equal ones have the same words. */
	calls: Call[];
	/** Whether an agent waits for its chat model only until the first other call has ended. */
	abandons: boolean;
	/** How long the gateway takes for what costs money, in seconds. */
	latency: [number, number];
	/** With two, every second item has the key of another account, or it changes each time that it is read. */
	accounts: 'one' | 'byItem' | 'byRead';
	/** What somebody edits before each *Retry* of the execution, while it fails. */
	retries: Edit[];
}

const bool = fc.boolean();
const seconds = (...values: number[]) => fc.constantFrom(...values);

/** Mostly requests that succeed at first, and then any. */
const someOutcomes = (...extra: Outcome[]): fc.Arbitrary<Outcome[]> => {
	const one = fc.oneof(
		{ weight: 6, arbitrary: fc.constant<Outcome>('ok') },
		{ weight: 5, arbitrary: fc.constantFrom(...outcomes) },
		...(extra.length > 0 ? [{ weight: 2, arbitrary: fc.constantFrom(...extra) }] : []),
	);
	return fc.oneof(
		{ weight: 1, arbitrary: fc.constant<Outcome[]>([]) },
		{ weight: 2, arbitrary: fc.array(one, { maxLength: 10 }) },
	);
};

const rarely = <T>(value: fc.Arbitrary<T>, otherwise: T): fc.Arbitrary<T> =>
	fc.oneof({ weight: 4, arbitrary: fc.constant(otherwise) }, { weight: 1, arbitrary: value });

/** Histories of workflows whose first node has one of these operations. */
export function histories(first: readonly Operation[]): fc.Arbitrary<History> {
	const second = fc.oneof(
		{ weight: 6, arbitrary: fc.constant([]) },
		{
			weight: 4,
			arbitrary: fc.constantFrom<Operation[]>(['create'], ['text'], ['poll'], ['suspend'], ['agent']),
		},
	);
	const moment = fc.oneof(
		fc.record({ sent: fc.integer({ min: 1, max: 20 }) }),
		fc.record({ received: fc.integer({ min: 1, max: 20 }) }),
		fc.record({ answered: fc.integer({ min: 1, max: 12 }), ticks: fc.integer({ min: 1, max: 8 }) }),
		fc.record({ afterMs: fc.integer({ min: 1, max: 30_000 }) }),
	);
	const stop = fc.tuple(fc.constantFrom<Stop['by']>('user', 'crash', 'crash'), moment);
	const any: fc.Arbitrary<History> = fc.record({
		operations: fc.tuple(fc.constantFrom(...first), second).map(([one, others]) => [one, ...others]),
		edition: fc.constant(0),
		items: fc.integer({ min: 1, max: 6 }),
		input: fc.constantFrom('same', 'same', 'now', 'random'),
		onError: fc.constantFrom(
			'stopWorkflow',
			'stopWorkflow',
			'stopWorkflow',
			'continueRegularOutput',
			'continueErrorOutput',
		),
		tries: fc.constantFrom(1, 2, 3, 5),
		maxRetries: fc.integer({ min: 0, max: 3 }),
		concurrency: fc.constantFrom(8, 1, 2, 3),
		ownKey: rarely(fc.constantFrom('perItem', 'forAll', 'perTry'), null),
		isEqual: bool,
		hasFile: rarely(bool, false),
		download: bool,
		maxWait: seconds(30, 6, 15),
		duration: fc.constantFrom<Array<[number, number]>>([0, 0], [2, 2], [1, 14], [20, 80], [3600, 3600]),
		lagMs: rarely(fc.constant(5_000), 0),
		failing: rarely(fc.uniqueArray(fc.nat(5), { maxLength: 2 }), []),
		deleted: rarely(fc.uniqueArray(fc.nat(3), { maxLength: 2 }), []),
		format: fc.constantFrom('chat', 'chat', 'messages'),
		outcomes: fc.record({
			create: someOutcomes('lost', 'cut', 'errorAfter'),
			// The gateway's own 500 may be repeated (§7.6), so the gateway must not charge a text for it.
			text: someOutcomes('lost', 'cut', 'hangAfter').map((all) =>
				all.filter((outcome) => outcome !== 'errorAfter' && outcome !== 'pageAfter'),
			),
			poll: rarely(someOutcomes(), []),
			catalogue: rarely(someOutcomes(), []),
			upload: rarely(someOutcomes(), []),
			file: rarely(someOutcomes(), []),
		}),
		loop: rarely(bool, false),
		limit: rarely<History['limit']>(
			fc.record({
				requests: fc.integer({ min: 2, max: 8 }),
				retryAfter: fc.constantFrom('none', 'seconds'),
			}),
			null,
		),
		stop: rarely<Stop | null>(
			stop.map(([by, when]) => ({ by, ...when })),
			null,
		),
		savesProgress: bool,
		isRedacted: rarely(bool, false),
		isSubWorkflow: rarely(bool, false),
		callbacks: fc.constantFrom('on', 'off', 'twice'),
		maxCost: fc.option(fc.constantFrom(0, 0.004, 0.01, 2, 4, 7, 14, 100), { freq: 2 }),
		unlimited: rarely(fc.uniqueArray(fc.constantFrom<number | Call>(0, 1, 'task', 'text', 'chat')), []),
		calls: fc.array(fc.constantFrom<Call>('task', 'text', 'chat'), { minLength: 1, maxLength: 6 }),
		abandons: bool,
		latency: fc.constantFrom<Array<[number, number]>>([0, 0], [0, 0.9], [0, 9]),
		accounts: fc.constantFrom('one', 'one', 'one', 'byItem', 'byRead'),
		retries: fc.array(fc.constantFrom<Edit>('none', 'prompt', 'settings'), { maxLength: 4 }),
	});
	return any.map(possible);
}

/** Resets what n8n does not offer, and what breaks a promise by design. */
function possible(history: History): History {
	const { operations, ownKey, accounts, retries, stop } = history;
	const isCrash = stop?.by === 'crash';
	const waits = operations.some((operation) => operation === 'poll' || operation === 'suspend');
	return {
		...history,
		...(waits ? { tries: Math.min(history.tries, 3) } : {}),
		...(operations.includes('suspend') ? { maxWait: 70 } : {}),
		// A crash loses what was asked of which account, and what a key stands for.
		...(isCrash && {
			// n8n counts the run that was suspended, too, when a later node has crashed.
			operations: operations[0] === 'suspend' ? ['suspend'] : operations,
			ownKey: ownKey === 'perTry' ? null : ownKey,
			accounts: accounts === 'byRead' ? 'one' : accounts,
			isEqual: true,
			input: 'same' as const,
			retries: retries.map((edit) => (ownKey && edit === 'prompt' ? 'none' : edit)),
		}),
		// One task for items of two accounts; and n8n gives the tools of an agent one credential.
		...((ownKey === 'forAll' && accounts === 'byItem') || operations.includes('agent')
			? { accounts: 'one' }
			: {}),
		// All responses to others would come too late.
		...(operations.every((operation) => operation === 'agent') ? {} : { latency: [0, 0.9] as const }),
	};
}

/** A history after a person has edited its workflow. */
export function edited(history: History, edit: Edit): History {
	const { edition, maxWait, maxRetries, concurrency } = history;
	if (edit === 'prompt') return { ...history, edition: edition + 1 };
	if (edit === 'none') return history;
	return {
		...history,
		maxWait: 2 * maxWait,
		maxRetries: maxRetries + 1,
		concurrency: concurrency === 1 ? 8 : 1,
	};
}
