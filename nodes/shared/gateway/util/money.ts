import { asId } from './json';
import { trimmedEnd } from './text';

// Amounts of money are decimal text, also in exponent form (§2.1), and computed on their digits: binary floating point
// would show ₽0.30000000000000004. Results are plain decimals without superfluous zeros; `undefined` if an amount is no
// decimal.

/** `digits` × 10^-`scale`. */
interface Decimal {
	digits: bigint;
	scale: number;
}

function readDecimal(text: string): Decimal | undefined {
	const match = /^(?=[+-]?\.?\d)([+-]?\d*)(?:\.(\d*))?(?:e([+-]?\d{1,3}))?$/i.exec(text.trim());
	if (!match) return undefined;
	const [, whole, fraction = '', exponent] = match;
	return { digits: BigInt(`${whole}${fraction}`), scale: fraction.length - Number(exponent ?? 0) };
}

/** The longest amount from outside, in characters: computing takes more than linear time. */
const MAX_AMOUNT_LENGTH = 100;

/** No amount of money is as high. */
export const MAX_AMOUNT = 1e15;

/** An amount from outside, a number or text, as decimal text; `undefined` if it is none, or too long or high. */
export function asDecimal(value: unknown): string | undefined {
	const text = asId(value)?.trim() ?? '';
	const isShort = text.length <= MAX_AMOUNT_LENGTH && Math.abs(Number(text)) < MAX_AMOUNT;
	return isShort && readDecimal(text) ? text : undefined;
}

function atSameScale(a: string, b: string): { left: bigint; right: bigint; scale: number } | undefined {
	const [left, right] = [readDecimal(a), readDecimal(b)];
	if (!left || !right) return undefined;
	const scale = Math.max(left.scale, right.scale, 0);
	return { left: atScale(left, scale), right: atScale(right, scale), scale };
}

function atScale({ digits, scale }: Decimal, wanted: number): bigint {
	return digits * 10n ** BigInt(wanted - scale);
}

function plain({ digits, scale }: Decimal): string {
	if (scale <= 0) return atScale({ digits, scale }, 0).toString();
	const [sign, size] = digits < 0n ? ['-', -digits] : ['', digits];
	const text = size.toString().padStart(scale + 1, '0');
	return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function withoutZeros(text: string): string {
	return text.includes('.') ? trimmedEnd(trimmedEnd(text, /0/), /\./) : text;
}

/** Below 0 if `a` is less, 0 if they are equal, above 0 if `a` is more. */
export function compareDecimals(a: string, b: string): number | undefined {
	const amounts = atSameScale(a, b);
	return amounts && (amounts.left < amounts.right ? -1 : Number(amounts.left > amounts.right));
}

/** Whether an amount is more than another one, or is no decimal. */
export function isMore(rub: string, than: string): boolean {
	return (compareDecimals(rub, than) ?? 1) > 0;
}

/** The total with an amount added, or with the factor -1 taken off; the same total if the amount is no decimal. */
export function addToTotal(total: string, amount: string, factor: 1 | -1 = 1): string {
	const amounts = atSameScale(total, amount);
	if (!amounts) return total;
	return withoutZeros(plain({ digits: amounts.left + BigInt(factor) * amounts.right, scale: amounts.scale }));
}

export function sumOfCosts(...costs: string[]): string | undefined {
	return costs.every(readDecimal) ? costs.reduce((total, cost) => addToTotal(total, cost), '0') : undefined;
}

export function multiplyDecimals(a: string, b: string): string | undefined {
	const [left, right] = [readDecimal(a), readDecimal(b)];
	if (!left || !right) return undefined;
	return withoutZeros(plain({ digits: left.digits * right.digits, scale: left.scale + right.scale }));
}

/** The price of a million tokens; `undefined` also for a negative one. */
export function millionTokenPrice(perToken = ''): string | undefined {
	const price = multiplyDecimals(perToken, '1e6');
	return price?.startsWith('-') ? undefined : price;
}

/** The amount for people, e.g. `-3.50`, rounded down: 99.999 is not shown as 100. Other text stays as it is. */
export function twoDecimals(amount: string): string {
	const amounts = atSameScale(amount, '0.01');
	if (!amounts) return amount;
	const { left, right } = amounts;
	return plain({ digits: left / right - BigInt(left % right < 0n), scale: 2 });
}

/** By their decimals: making one takes much longer than using it. */
const formats = new Map<number, Intl.NumberFormat>();

/** As in `₽11 250`, `₽5.40`, and below one ruble four decimals or two digits: `₽0.0012`. Other text stays as it is. */
export function rubles(amount: string): string {
	const value = readDecimal(amount) ? Number(amount) : NaN;
	if (Number.isNaN(value)) return `₽${amount}`;
	const size = Math.abs(value);
	const twoDigits = size > 0 && size < 1 ? 1 - Math.floor(Math.log10(size)) : 0;
	const decimals = size < 1 ? Math.max(4, Math.min(twoDigits, 20)) : 2;
	const format =
		formats.get(decimals) ??
		new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: decimals });
	formats.set(decimals, format);
	const text = format.format(size);
	return `${value < 0 ? '-' : ''}₽${text.replace(/\.00$/, '').replaceAll(',', '\u00a0')}`;
}
