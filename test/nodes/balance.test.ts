import { paceText } from '../../nodes/BalanceTrigger/pace';

/** Monday, in the evening. */
const at = Date.UTC(2026, 0, 5, 20);

it.each<[daysLeft: number, timeZone: string, end: string]>([
	[0.1, 'UTC', 'today'],
	[0.2, 'UTC', 'Tuesday'],
	[0.2, 'Asia/Vladivostok', 'today'],
	[5.9, 'UTC', 'Sunday'],
	[6, 'UTC', '11 January 2026'],
])(
	'a balance that lasts %d days does so until the day of the time zone %s: %s',
	(daysLeft, timeZone, end) => {
		const text = paceText({ spentPerDayRub: 312, daysLeft }, { at, amount: '882' }, timeZone);
		expect(text).toBe(`At ₽312 a day, ₽882 last until ${end}`);
	},
);
