import { WaitQueue, type Lane } from '../../../../nodes/shared/gateway/client/rate/waitQueue';

interface Request {
	name: string;
	lane: Lane;
	since: number;
	others: number;
	sentAfter?: number;
}

/** The names of all requests, in the order in which they are taken. */
function orderOf(requests: Array<Partial<Request> & { name: string }>, isProbe = false): string[] {
	const queue = new WaitQueue<Request>();
	requests.forEach((request, index) => queue.add({ lane: 'other', since: index, others: 0, ...request }));
	return requests.map(() => queue.next(isProbe)?.name ?? '');
}

const refused = { sentAfter: 1 };

test.each<[string, Array<Partial<Request> & { name: string }>, string[]]>([
	[
		'the order in which they came',
		[
			{ name: 'b', since: 2 },
			{ name: 'a', since: 1 },
		],
		['a', 'b'],
	],
	['polls first', [{ name: 'text' }, { name: 'poll', lane: 'poll' }], ['poll', 'text']],
	[
		'those that let others pass first last',
		[{ name: 'refused', others: 1, ...refused }, { name: 'text' }],
		['text', 'refused'],
	],
	[
		'a poll that lets others pass after a text',
		[{ name: 'poll', lane: 'poll', others: 2, ...refused }, { name: 'text' }],
		['text', 'poll'],
	],
	[
		'a refused one that lets none pass in its place',
		[{ name: 'refused', ...refused }, { name: 'text' }],
		['refused', 'text'],
	],
	[
		'all that let others pass in their order',
		[
			{ name: 'a', others: 9, ...refused },
			{ name: 'b', others: 1, ...refused },
		],
		['a', 'b'],
	],
])('are taken in this order: %s', (_, requests, order) => expect(orderOf(requests)).toStrictEqual(order));

test('a probe is one that was not refused, if there is one', () => {
	const requests = [
		{ name: 'refused', ...refused },
		{ name: 'refused poll', lane: 'poll' as const, others: 1, ...refused },
		{ name: 'text' },
		{ name: 'later text' },
	];
	expect(orderOf(requests, true)).toStrictEqual(['text', 'later text', 'refused', 'refused poll']);
});

test('an empty queue has none', () => {
	const queue = new WaitQueue<Request>();
	expect([queue.next(true), queue.next(false)]).toStrictEqual([undefined, undefined]);
});
