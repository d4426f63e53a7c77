/**
 * The price of a million tokens. Computed on the digits, because binary floating point would show
 * ₽0.30000000000000004.
 *
 * @param perToken decimal string, also in exponent form, as in the catalogue (§2.1)
 * @returns a decimal without superfluous zeros; `undefined` if `perToken` is not a decimal
 */
export function millionTokenPrice(perToken: string | undefined): string | undefined {
	const decimal = perToken === undefined ? undefined : readDecimal(perToken);
	if (!decimal || decimal.digits < 0n) return undefined;
	return shortest({ ...decimal, scale: decimal.scale - 6 });
}

/** A decimal number, exact: `digits` × 10^-`scale`. */
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

/**
 * Compares two amounts of money on their digits.
 *
 * @param a decimal string, also in exponent form
 * @returns below 0 if `a` is less, 0 if they are equal, above 0 if `a` is more; `undefined` if one of them is
 *   not a decimal
 */
export function compareDecimals(a: string, b: string): number | undefined {
	const [left, right] = [readDecimal(a), readDecimal(b)];
	if (!left || !right) return undefined;
	const scale = Math.max(left.scale, right.scale);
	const difference = atScale(left, scale) - atScale(right, scale);
	return difference < 0n ? -1 : Number(difference > 0n);
}

/**
 * Adds two amounts of money on their digits.
 *
 * @param a decimal string, also in exponent form
 * @param factor -1 subtracts `b`
 * @returns a plain decimal string; `undefined` if one of them is not a decimal
 */
export function addDecimals(a: string, b: string, factor: 1 | -1 = 1): string | undefined {
	const [left, right] = [readDecimal(a), readDecimal(b)];
	if (!left || !right) return undefined;
	const scale = Math.max(left.scale, right.scale, 0);
	return plain(atScale(left, scale) + BigInt(factor) * atScale(right, scale), scale);
}

/**
 * Multiplies two decimals on their digits, such as a price by a number of tokens.
 *
 * @param a decimal string, also in exponent form
 * @returns a plain decimal string without superfluous zeros; `undefined` if one of them is not a decimal
 */
export function multiplyDecimals(a: string, b: string): string | undefined {
	const [left, right] = [readDecimal(a), readDecimal(b)];
	if (!left || !right) return undefined;
	return shortest({ digits: left.digits * right.digits, scale: left.scale + right.scale });
}

/**
 * Adds costs on their digits.
 *
 * @param costs decimal strings, also in exponent form
 * @returns a plain decimal string without superfluous zeros; `undefined` if one of them is not a decimal
 */
export function sumOfCosts(...costs: string[]): string | undefined {
	const sum = costs.reduce<string | undefined>(
		(total, cost) => (total === undefined ? undefined : addDecimals(total, cost)),
		'0',
	);
	return sum === undefined ? undefined : multiplyDecimals(sum, '1');
}

/**
 * An amount with two decimals, rounded down, for people: 99.999 is not shown as 100.
 *
 * @param amount decimal string, also in exponent form
 * @returns a plain decimal string, e.g. `-3.50`; the text itself if it is not a decimal
 */
export function twoDecimals(amount: string): string {
	const decimal = readDecimal(amount);
	if (!decimal) return amount;
	const scale = Math.max(decimal.scale, 2);
	const digits = atScale(decimal, scale);
	const unit = 10n ** BigInt(scale - 2);
	const isRounded = digits < 0n && digits % unit !== 0n;
	return plain(digits / unit - (isRounded ? 1n : 0n), 2);
}

/** A decimal without superfluous zeros. */
function shortest(decimal: Decimal): string {
	const scale = Math.max(decimal.scale, 0);
	const text = plain(atScale(decimal, scale), scale);
	return scale === 0 ? text : text.replace(/\.?0+$/, '');
}

function plain(digits: bigint, scale: number): string {
	const sign = digits < 0n ? '-' : '';
	const text = digits
		.toString()
		.replace('-', '')
		.padStart(scale + 1, '0');
	return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function atScale({ digits, scale }: Decimal, wanted: number): bigint {
	return digits * 10n ** BigInt(wanted - scale);
}

/**
 * What a request cost, for error texts.
 *
 * @param costRub null if the format does not report it
 */
export function costText(costRub: number | null): string {
	return costRub === null ? 'The call was charged.' : `The call cost ₽${costRub}.`;
}
