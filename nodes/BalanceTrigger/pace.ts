import { addToTotal, rubles, twoDecimals } from '../shared/gateway/util/money';
import { asNumber, asObjects, asText, type Json } from '../shared/gateway/util/json';
import { DAY_MS } from '../shared/gateway/util/text';

/** A balance in rubles, as decimal text, and when it was read, in Unix milliseconds. */
export interface Reading {
	at: number;
	amount: string;
}

const HOUR_MS = 3_600_000;
const WEEK_DAYS = 7;

/** A longer time is not reported: a date so far ahead may not exist. */
const MOST_DAYS = 3_650;

/** The stored readings of the last week. */
export function readingsIn(stored: Json | undefined, now: number): Reading[] {
	const begin = now - WEEK_DAYS * DAY_MS;
	return asObjects(stored).flatMap(({ at, amount }) => {
		const reading = { at: asNumber(at) ?? NaN, amount: asText(amount) ?? '' };
		return reading.at >= begin && reading.at <= now ? reading : [];
	});
}

/** With this reading, unless the last one is less than an hour old. */
export function withReading(readings: readonly Reading[], reading: Reading): Reading[] {
	const last = readings.at(-1);
	return last && reading.at - last.at < HOUR_MS ? [...readings] : [...readings, reading];
}

export interface Pace {
	/** Rubles; null until a day of readings is known. */
	spentPerDayRub: number | null;
	/** How long the balance lasts at this pace; null for more than ten years, if nothing is spent, or if the pace is not known. */
	daysLeft: number | null;
}

/** The pace between readings. Times in which the balance rose are left out, with what was spent in them. */
export function paceOf(readings: readonly Reading[], { amount }: Reading): Pace {
	let spent = '0';
	let knownMs = 0;
	for (const [index, after] of readings.slice(1).entries()) {
		const before = readings[index] ?? after;
		const difference = addToTotal(before.amount, after.amount, -1);
		if (difference.startsWith('-')) continue;
		spent = addToTotal(spent, difference);
		knownMs += after.at - before.at;
	}
	if (knownMs < DAY_MS) return { spentPerDayRub: null, daysLeft: null };
	const perDay = Number(spent) / (knownMs / DAY_MS);
	const days = Math.max(Number(amount), 0) / perDay;
	return {
		spentPerDayRub: perDay < 1 ? Number(perDay.toPrecision(2)) : Math.round(perDay * 100) / 100,
		daysLeft: days <= MOST_DAYS ? Math.round(days * 100) / 100 : null,
	};
}

/** Such as "At ₽312 a day, ₽882 last until Friday". */
export function paceText(
	{ spentPerDayRub, daysLeft }: Pace,
	{ at, amount }: Reading,
	timeZone: string,
): string {
	const balance = rubles(twoDecimals(amount));
	if (Number(amount) <= 0) return `The balance is ${balance}: nothing is left`;
	if (spentPerDayRub === null)
		return `The balance is ${balance}. How long it lasts is known after a day of polls`;
	if (spentPerDayRub === 0)
		return `The balance is ${balance}, and nothing was spent in the last ${WEEK_DAYS} days`;
	const perDay = `At ${rubles(String(spentPerDayRub))} a day`;
	if (daysLeft === null) return `${perDay}, ${balance} last more than ten years`;
	const end = at + daysLeft * DAY_MS;
	const isSoon = daysLeft < WEEK_DAYS - 1;
	const format: Intl.DateTimeFormatOptions = isSoon
		? { weekday: 'long' }
		: { day: 'numeric', month: 'long', year: 'numeric' };
	const day = (time: number) => new Intl.DateTimeFormat('en-GB', { ...format, timeZone }).format(time);
	const until = isSoon && day(end) === day(at) ? 'today' : day(end);
	return `${perDay}, ${balance} last until ${until}`;
}
