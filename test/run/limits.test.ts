import fc from 'fast-check';

import type { GatewayClient } from '../../nodes/shared/gateway/client/client';
import { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { charge } from '../../nodes/shared/run/charge/charge';
import { Spending, type SpendingContext } from '../../nodes/shared/run/charge/spending';

// Calls under *Max Cost per Execution*, in hundredths of a ruble.

const rub = (hundredths: number) => (hundredths / 100).toFixed(2);

/** A client without *Minimum Balance*. */
const client = {
	account: 'a',
	settings: {},
	until: async (wait: Promise<void>) => await wait,
} as unknown as GatewayClient;

/** Nodes of one execution. */
function execution() {
	const flow = {};
	return () =>
		new Spending({
			getExecutionId: () => '1',
			getContext: (kind: string) => (kind === 'flow' ? flow : {}),
			getWorkflowDataProxy: () => ({ $execution: {} }),
		} as unknown as SpendingContext);
}

/** A call: what it may cost and costs, how many turns it takes, and whether its node has no limit. */
const call = fc.record({
	most: fc.integer({ min: 1, max: 60 }),
	share: fc.double({ min: 0, max: 1, noNaN: true }),
	turns: fc.integer({ min: 1, max: 8 }),
});

async function turns(count: number): Promise<void> {
	for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe('calls of an execution with a limit', () => {
	it('never exceed it together, and each that is refused could not fit what was left', async () => {
		const run = async (calls: Array<{ most: number; share: number; turns: number }>, limit: number) => {
			const node = execution();
			let spent = 0;
			let open = 0;
			const refused: Array<{ error: unknown; couldFit: boolean }> = [];
			const send = async ({ most, share, turns: length }: (typeof calls)[number]) => {
				const cost = Math.round(most * share);
				try {
					const { rub: counted } = await charge(
						node(),
						{ client, mostRub: rub(most), maxCostRub: rub(limit) },
						async () => {
							open += most;
							expect(spent + open).toBeLessThanOrEqual(limit);
							await turns(length);
						},
						async () => await Promise.resolve(rub(cost)),
					);
					await counted;
					spent += cost;
					open -= most;
				} catch (error) {
					refused.push({ error, couldFit: spent + most <= limit });
				}
			};
			await Promise.all(calls.map(send));
			expect(spent).toBeLessThanOrEqual(limit);
			for (const { error, couldFit } of refused)
				expect([error instanceof InvalidInputError, couldFit]).toStrictEqual([true, false]);
		};
		await fc.assert(
			fc.asyncProperty(
				fc.array(call, { minLength: 30, maxLength: 30 }),
				fc.integer({ min: 1, max: 1_000 }),
				run,
			),
			{ numRuns: 200 },
		);
	});

	it('begin in the order in which they came, also when a later one would fit before', async () => {
		const node = execution();
		const begun: number[] = [];
		const send = async (index: number, most: string) => {
			const { rub: counted } = await charge(
				node(),
				{ client, mostRub: most, maxCostRub: '10' },
				async () => {
					begun.push(index);
					await turns(3);
				},
				async () => await Promise.resolve('0'),
			);
			await counted;
		};
		await Promise.all([send(0, '8'), send(1, '8'), send(2, '1')]);
		expect(begun).toStrictEqual([0, 1, 2]);
	});
});
