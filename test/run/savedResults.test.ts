import type { INode } from 'n8n-workflow';

import { SavedResults, type SavedResult } from '../../nodes/shared/run/savedResults';

// What a node saves between the tries of Retry On Fail.

interface Settings {
	retryOnFail?: boolean | undefined;
	maxTries?: number | undefined;
}

const outputs = (text: string): SavedResult => ({ outputs: [{ json: { text } }] });

/** A node whose context lasts through the tries of an execution. */
function nodeWith(settings: Settings) {
	const store: Record<string, unknown> = {};
	const attempt = (place: Partial<{ executionId: string; run: string }> = {}) =>
		new SavedResults(
			{ getContext: (type) => (type === 'node' ? store : {}), getNode: () => settings as INode },
			{
				executionId: 'e1',
				run: '0',
				...place,
			},
		);
	return { store, attempt };
}

/** Fails this often; returns for each try whether it is a retry and whether there is a next one. */
function triesOf(settings: Settings, count: number) {
	const { store, attempt } = nodeWith(settings);
	const tries = Array.from({ length: count }, (_, index) => {
		const memory = attempt();
		memory.save(new Map([[index, outputs(`try ${index}`)]]));
		return [memory.isRetry, memory.hasNextTry];
	});
	return { tries, store };
}

it.each([
	[undefined, 3],
	[0, 3],
	[1, 2],
	[2, 2],
	[3, 3],
	[4, 4],
	[5, 5],
	[9, 5],
	[-1, 2],
])('counts tries as n8n does: with Max Tries %j there are %d', (maxTries, count) => {
	const { tries, store } = triesOf({ retryOnFail: true, maxTries }, count);
	expect(tries).toStrictEqual(Array.from({ length: count }, (_, index) => [index > 0, index < count - 1]));
	expect(store).toStrictEqual({});
});

it.each([undefined, false])(
	'saves nothing where the node is not run again: Retry On Fail %j',
	(retryOnFail) => {
		const { tries, store } = triesOf({ retryOnFail, maxTries: 5 }, 1);
		expect(tries).toStrictEqual([[false, false]]);
		expect(store).toStrictEqual({});
	},
);

it('keeps the results of each try until the last one, also those that only the first had', () => {
	const { attempt } = nodeWith({ retryOnFail: true });
	attempt().save(new Map([[0, outputs('first')]]));
	const second = attempt();
	expect([0, 1].map((index) => second.get(index))).toStrictEqual([outputs('first'), undefined]);
	second.save(
		new Map([
			[1, outputs('second')],
			[2, outputs('second')],
		]),
	);
	const third = attempt();
	expect([0, 1, 2, 3].map((index) => third.get(index))).toStrictEqual([
		outputs('first'),
		outputs('second'),
		outputs('second'),
		undefined,
	]);
});

it.each([{ executionId: 'e2' }, { run: '1' }, { executionId: 'e2', run: '1' }])(
	'does not use what another run of the node saved: %j',
	(place) => {
		const { attempt } = nodeWith({ retryOnFail: true });
		attempt().save(new Map([[0, outputs('first')]]));
		const other = attempt(place);
		expect(other.get(0)).toBeUndefined();
		expect(other.isRetry).toBe(false);
		other.save(new Map([[1, outputs('other')]]));
		expect([0, 1].map((index) => attempt(place).get(index))).toStrictEqual([undefined, outputs('other')]);
	},
);

it('clears everything when the node has ended', () => {
	const { attempt, store } = nodeWith({ retryOnFail: true });
	attempt().save(new Map([[0, outputs('first')]]));
	expect(Object.keys(store)).toHaveLength(1);
	attempt().clear();
	expect(store).toStrictEqual({});
});

it('reads what was stored as JSON', () => {
	const { attempt, store } = nodeWith({ retryOnFail: true });
	attempt().save(new Map([[10, outputs('first')]]));
	Object.assign(store, JSON.parse(JSON.stringify(store)));
	expect(attempt().get(10)).toStrictEqual(outputs('first'));
});

it.each<[string, (saved: Record<string, unknown>) => unknown]>([
	['nothing', () => undefined],
	['a text', () => 'kept'],
	['no id of the execution', (saved) => ({ ...saved, executionId: undefined })],
	['no run', (saved) => ({ ...saved, run: 0 })],
	['no number of tries', (saved) => ({ ...saved, tries: '1' })],
	['no items', (saved) => ({ ...saved, items: undefined })],
	['a list of items', (saved) => ({ ...saved, items: [outputs('first')] })],
])('ignores saved data with %s', (_, changed) => {
	const { attempt, store } = nodeWith({ retryOnFail: true });
	attempt().save(new Map([[0, outputs('first')]]));
	for (const [key, saved] of Object.entries(store)) store[key] = changed(saved as Record<string, unknown>);
	const memory = attempt();
	expect(memory.get(0)).toBeUndefined();
	expect(memory.isRetry).toBe(false);
});
