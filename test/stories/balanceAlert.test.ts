import type { INodeParameters, WorkflowExecuteMode } from 'n8n-workflow';

import { BalanceTrigger } from '../../nodes/BalanceTrigger/BalanceTrigger.node';
import { rejection } from '../helpers/client';
import { pollContext } from '../helpers/contexts';
import { copy } from '../helpers/engine';
import { passTime } from '../helpers/time';
import type { StoryNode } from './execution';
import { image, prompts, useStories } from './support';

// An alert on the balance: which polls start the workflow, and with what.

const { gateway, execute } = useStories();

const BELOW_50 = { fireOn: 'below', threshold: 50 };
const CHANGE = { fireOn: 'change' };
const BUSY = { kind: 'error', code: 'service_unavailable' } as const;

/** A published workflow with this trigger, in n8n. */
function publish(parameters: INodeParameters) {
	let { apiKey } = gateway;
	let store = {};
	let saved = {};
	let timeZone: string | undefined;
	const poll = async (mode: WorkflowExecuteMode) => {
		const credential = { baseUrl: gateway.baseUrl, apiKey };
		const context = pollContext({ node: 'balanceTrigger', parameters, mode, store, credential });
		if (timeZone) jest.spyOn(context, 'getTimezone').mockReturnValue(timeZone);
		const output = await new BalanceTrigger().poll.call(context);
		// n8n saves static data only then.
		if (output && mode === 'trigger') saved = copy(store);
		return (output ?? []).flat().map(({ json }) => json);
	};
	return {
		/** The items with which a poll starts the workflow; with a balance, after it has become that. */
		poll: async (balance?: string) => {
			if (balance !== undefined) gateway.control.setBalance(balance);
			return await poll('trigger');
		},
		/** *Execute step* in the editor. */
		test: async () => await poll('manual'),
		restart: () => void (store = copy(saved)),
		/** The node is edited. */
		set: (more: INodeParameters) => void Object.assign(parameters, more),
		/** Another time zone is chosen in the settings of the workflow. */
		move: (zone: string) => void (timeZone = zone),
		/** Another account is chosen in the credential. */
		choose: (key: string) => void (apiKey = key),
	};
}

/** Polls at these balances. Returns the messages of those that start the workflow, by balance. */
async function alerts(workflow: ReturnType<typeof publish>, balances: string[], isRestarted = false) {
	const sent: unknown[] = [];
	for (const balance of balances) {
		for (const { message } of await workflow.poll(balance)) sent.push([balance, message]);
		if (isRestarted) workflow.restart();
	}
	return sent;
}

const low = (balance: string, shown = `₽${balance}`) => [
	balance,
	`The balance is ${shown}, below the threshold of ₽50`,
];

describe.each(['amount', 'currencies'] as const)('a gateway whose balance has the shape %s', (shape) => {
	beforeEach(() => void gateway.control.configure({ balanceShape: shape }));

	it.each([
		['runs on', false],
		['is restarted after each poll', true],
	])('alerts once for each fall below ₽50, to the kopeck and beyond, when n8n %s', async (_, isRestarted) => {
		const falls = ['120.00', '50.00', '49.99', '12.34', '49.98', '50.00', '49.999999999', '51.20', '-3.10'];
		expect(await alerts(publish(BELOW_50), falls, isRestarted)).toStrictEqual([
			low('49.99'),
			low('49.999999999', '₽49.99'),
			low('-3.10', '-₽3.10'),
		]);
		expect(gateway.charges()).toBe(0);
	});

	it('starts the workflow with the exact amounts of the balance and the threshold', async () => {
		const dollars = shape === 'currencies' ? { amountUsd: 0.5049 } : {};
		expect(await publish({ ...BELOW_50, threshold: 50.5 }).poll('50.49')).toStrictEqual([
			{
				amountRub: 50.49,
				amount: '50.49',
				currency: 'RUB',
				...dollars,
				message: 'The balance is ₽50.49, below the threshold of ₽50.50',
				lowBalance: true,
				threshold: '50.5',
				spentPerDayRub: null,
				daysLeft: null,
			},
		]);
	});

	it('tells each change, with the amount before and the exact difference', async () => {
		const workflow = publish(CHANGE);
		const changes: unknown[] = [];
		for (const balance of ['80.30', '80.30', '80.10', '80.10', '200.00', '199.999999999']) {
			const [event] = await workflow.poll(balance);
			if (event) changes.push([event.amount, event.previousAmount, event.change, event.message]);
		}
		expect(changes).toStrictEqual([
			['80.10', '80.30', '-0.2', 'The balance is ₽80.10, it was ₽80.30 before'],
			['200.00', '80.10', '119.9', 'The balance is ₽200, it was ₽80.10 before'],
			['199.999999999', '200.00', '-0.000000001', 'The balance is ₽199.99, it was ₽200 before'],
		]);
	});
});

it('a restart of n8n after each poll loses no change', async () => {
	expect(await alerts(publish(CHANGE), ['80.30', '75.20', '75.20', '60.40'], true)).toStrictEqual([
		['75.20', 'The balance is ₽75.20, it was ₽80.30 before'],
		['60.40', 'The balance is ₽60.40, it was ₽75.20 before'],
	]);
});

it('pictures that use up the balance raise one alert, which says what is left', async () => {
	gateway.control.setBalance('52.30');
	const workflow = publish(BELOW_50);
	const amounts: unknown[] = [];
	for (const prompt of ['a cat', 'a dog', 'a fox']) {
		await execute(image(), prompts(prompt));
		amounts.push((await workflow.poll()).map(({ amount }) => amount));
	}
	expect(amounts).toStrictEqual([[], ['48.70'], []]);
});

it('polls that fail raise an error, and neither lose a fall nor repeat its alert', async () => {
	const workflow = publish(BELOW_50);
	await workflow.poll('120.00');
	const failedPoll = async (balance: string) => {
		gateway.control.addFault({ match: { path: '/balance' }, action: BUSY, times: 0 });
		const { message } = (await rejection(workflow.poll(balance))) as Error;
		gateway.control.clearFaults();
		return message;
	};
	expect(await failedPoll('41.70')).toBe('The gateway is not available at the moment');
	expect(await alerts(workflow, ['41.70'])).toStrictEqual([low('41.70')]);
	await failedPoll('39.60');
	expect(await alerts(workflow, ['39.60'])).toStrictEqual([]);
});

it('a test in the editor shows an item at any balance, and takes no alert away', async () => {
	const workflow = publish(BELOW_50);
	gateway.control.setBalance('75.40');
	const above = (await workflow.test()).map(({ message, lowBalance }) => [message, lowBalance]);
	expect(above).toStrictEqual([['The balance is ₽75.40, not below the threshold of ₽50', false]]);
	gateway.control.setBalance('31.20');
	for (let tests = 0; tests < 2; tests += 1) expect(await workflow.test()).toHaveLength(1);
	expect(await alerts(workflow, ['31.20'])).toStrictEqual([low('31.20')]);
	expect(await workflow.test()).toHaveLength(1);
	expect(await alerts(workflow, ['30.10'])).toStrictEqual([]);
});

it('a test of *On Every Change* in the editor shows no change, and takes none away', async () => {
	const workflow = publish(CHANGE);
	gateway.control.setBalance('7.50');
	const message = 'The balance is ₽7.50, it was ₽7.50 before';
	expect(await workflow.test()).toMatchObject([{ previousAmount: '7.50', change: '0', message }]);
	expect(await alerts(workflow, ['8.00', '9.00'])).toStrictEqual([
		['9.00', 'The balance is ₽9, it was ₽8 before'],
	]);
});

it('another threshold starts over, the same one in another notation does not', async () => {
	const workflow = publish({ ...BELOW_50 });
	expect(await alerts(workflow, ['40.00'])).toHaveLength(1);
	workflow.set({ threshold: '50.0' });
	expect(await alerts(workflow, ['39.00'])).toStrictEqual([]);
	workflow.set({ threshold: 60 });
	expect(await alerts(workflow, ['38.00'])).toHaveLength(1);
});

it.each<[string, INodeParameters, unknown[]]>([
	[
		'is below the threshold, too: one more alert',
		BELOW_50,
		['The balance is ₽22.90, below the threshold of ₽50'],
	],
	['has another balance: that is no change', CHANGE, []],
])('another account is chosen, which %s', async (_, parameters, expected) => {
	const workflow = publish(parameters);
	await alerts(workflow, ['80.30', '44.80']);
	gateway.control.setBalance('22.90', 'another');
	workflow.choose(gateway.control.createKey({ account: 'another' }).key);
	expect((await workflow.poll()).map(({ message }) => message)).toStrictEqual(expected);
	expect(await workflow.poll()).toStrictEqual([]);
	gateway.control.setBalance('21.60', 'another');
	const change = ['The balance is ₽21.60, it was ₽22.90 before'];
	expect((await workflow.poll()).map(({ message }) => message)).toStrictEqual(
		parameters === CHANGE ? change : [],
	);
});

describe('*Get* with *Threshold*, before an If node', () => {
	const get = (threshold: unknown, more: object = {}): StoryNode => ({
		node: 'balance',
		parameters: { options: { threshold: threshold as number }, ...more },
	});

	it.each([true, false])(
		'tells which customers are low, each by their own limit (Simplify: %s)',
		async (simplify) => {
			const customers = ['50.00', '49.99', '-0.01'].map((balance, index) => {
				gateway.control.setBalance(balance, `customer ${index}`);
				const { key } = gateway.control.createKey({ account: `customer ${index}` });
				return { json: { key, limit: index === 2 ? 0 : 50 } };
			});
			const execution = await execute(get('={{ $json.limit }}', simplify ? {} : { simplify }), customers, {
				keyOf: ({ json }) => json.key as string,
			});
			const rows = execution
				.items()
				.map(({ json, pairedItem }) => [json.amount, json.lowBalance, pairedItem]);
			expect(rows).toStrictEqual([
				['50.00', false, { item: 0 }],
				['49.99', true, { item: 1 }],
				['-0.01', true, { item: 2 }],
			]);
			expect([gateway.charges(), execution.sums]).toStrictEqual([0, undefined]);
		},
	);

	it('in one workflow with pictures, counts what they have cost', async () => {
		gateway.control.setBalance('53.50');
		const execution = await execute([image(), get(50)], prompts('a cat', 'a dog'));
		expect(execution.items('Gateway 2').map(({ json }) => json)).toStrictEqual(
			Array(2).fill({ amountRub: 49.9, amount: '49.90', currency: 'RUB', lowBalance: true }),
		);
		expect(execution.sums).toMatchObject({ gatewayCalls: '2', gatewayCostRub: '3.6' });
	});
});

describe('an alert some days before the balance runs out', () => {
	const SOON = { fireOn: 'daysLeft', days: 3 };
	const HOUR = 3_600_000;

	/** A balance that changes hour by hour, polled every half an hour; returns the alerts with their hours. */
	async function spend(workflow: ReturnType<typeof publish>, balances: string[], isRestarted = false) {
		const events: unknown[] = [];
		for (const [hour, balance] of balances.entries()) {
			for (const half of [0, 0.5]) {
				for (const event of await workflow.poll(balance)) events.push([hour + half, event]);
				if (isRestarted) workflow.restart();
				await passTime(HOUR / 2);
			}
		}
		return events as Array<[number, Record<string, unknown>]>;
	}
	const hours = (count: number, amount: (hour: number) => number) =>
		Array.from({ length: count }, (_, hour) => amount(hour).toFixed(2));

	it('comes once, with the pace and the day on which nothing is left', async () => {
		const workflow = publish(SOON);
		const [[hour, event] = [], ...others] = await spend(
			workflow,
			hours(60, (hour) => 1530 - 13 * hour),
		);
		expect(event).toMatchObject({ spentPerDayRub: 312, days: 3, currency: 'RUB' });
		expect(event?.daysLeft).toBeLessThan(3);
		expect(event?.daysLeft).toBeGreaterThan(2.9);
		expect(hour).toBeLessThan(48);
		const shown = `₽${String(event?.amountRub)}`;
		expect(event?.message).toMatch(
			/^At ₽312 a day, ₽[\d.]+ last until (Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day$/,
		);
		expect(event?.message).toContain(`${shown} last`);
		expect(others).toStrictEqual([]);
	});

	it('says nothing in the first day, nor where nothing is spent, and leaves top-ups out', async () => {
		const first = publish(SOON);
		expect(
			await spend(
				first,
				hours(23, (hour) => 100 - hour),
			),
		).toStrictEqual([]);
		expect(await first.test()).toMatchObject([
			{
				spentPerDayRub: null,
				daysLeft: null,
				message: expect.stringContaining('after a day of polls') as string,
			},
		]);
		const idle = publish(SOON);
		expect(
			await spend(
				idle,
				hours(50, () => 5),
			),
		).toStrictEqual([]);
		expect(await idle.test()).toMatchObject([{ spentPerDayRub: 0, daysLeft: null }]);
		const topped = publish(SOON);
		await spend(
			topped,
			hours(60, (hour) => 1000 - 10 * hour + (hour > 30 ? 5000 : 0)),
		);
		expect(await topped.test()).toMatchObject([{ spentPerDayRub: expect.closeTo(236, 0) as number }]);
	});

	it('names the date for money that lasts almost a week: its weekday would be that of today', async () => {
		const workflow = publish(SOON);
		await spend(
			workflow,
			hours(26, (hour) => 1760 - 10 * hour),
		);
		const [event] = await workflow.test();
		expect(Math.floor(Number(event?.daysLeft))).toBe(6);
		expect(event?.message).toMatch(/last until \d{1,2} [A-Z][a-z]+ \d{4}$/);
	});

	/** The event of a test after polls at these balances, one a day. */
	async function afterDays(balances: number[]) {
		const workflow = publish(SOON);
		for (const [day, balance] of balances.entries()) {
			if (day > 0) await passTime(24 * HOUR);
			await workflow.poll(balance.toFixed(2));
		}
		const [event] = await workflow.test();
		return event;
	}

	it('has the pace of the last week, not that of the time before', async () => {
		const [fast, slow] = [
			[1000, 900, 800, 700],
			[690, 680, 670, 660, 650, 640, 630],
		];
		expect(await afterDays([...fast, ...slow])).toMatchObject({ spentPerDayRub: 10, daysLeft: 63 });
	});

	it.each([
		[-20, '-₽20'],
		[0, '₽0'],
	])('says of a balance of %i that nothing is left', async (balance, shown) => {
		expect(await afterDays([120, 80, 40, 0].map((one) => one + balance))).toMatchObject({
			spentPerDayRub: 40,
			daysLeft: 0,
			message: `The balance is ${shown}: nothing is left`,
		});
	});

	it('names the day of the time zone of the workflow', async () => {
		const workflow = publish(SOON);
		await workflow.poll('100');
		await passTime(24 * HOUR);
		gateway.control.setBalance('75');
		const messages = new Set<unknown>();
		// They are 25 hours apart.
		for (const zone of ['Pacific/Kiritimati', 'Pacific/Niue']) {
			workflow.move(zone);
			for (const { message } of await workflow.test()) messages.add(message);
		}
		expect([...messages]).toStrictEqual(Array(2).fill(expect.stringMatching(/last until \w+day$/)));
	});

	it('does not take another account for one that has spent what it has less', async () => {
		const workflow = publish(SOON);
		await workflow.poll('1000');
		await passTime(24 * HOUR);
		gateway.control.setBalance('100', 'poor');
		workflow.choose(gateway.control.createKey({ account: 'poor' }).key);
		expect(await workflow.poll()).toStrictEqual([]);
		expect(await workflow.test()).toMatchObject([{ amount: '100.00', spentPerDayRub: null }]);
	});

	it('does not come again when the pace is known again, after a week without polls', async () => {
		const workflow = publish(SOON);
		const balances = hours(56, (hour) => 1000 - 10 * hour);
		expect(await spend(workflow, balances.slice(0, 30))).toHaveLength(1);
		await passTime(8 * 24 * HOUR);
		expect(await spend(workflow, balances.slice(30))).toStrictEqual([]);
	});

	it('has the pace of the first day after a restart on the second', async () => {
		const workflow = publish(SOON);
		await spend(
			workflow,
			hours(28, (hour) => 3000 - 10 * hour + (hour > 26 ? 5000 : 0)),
		);
		workflow.restart();
		expect(await workflow.test()).toMatchObject([{ spentPerDayRub: 240 }]);
	});

	it('comes again after the balance has lasted a day longer, and survives restarts', async () => {
		const balances = [
			...hours(48, (hour) => 1000 - 10 * hour),
			// Enough for 3.4 days: not a day longer. Then for 5.
			...hours(3, (hour) => 820 - 10 * hour),
			...hours(55, (hour) => 1200 - 10 * hour),
		];
		for (const isRestarted of [false, true]) {
			const events = await spend(publish(SOON), balances, isRestarted);
			expect(events.map(([hour]) => Math.floor(hour))).toStrictEqual([29, 100]);
		}
	});
});
