/**
 * The price of a million tokens, computed on the digits: prices per token are small, and binary floating point
 * would show ₽0.30000000000000004.
 *
 * @param perToken decimal string, also in exponent form, as the catalogue gives it (§2.1)
 * @returns a decimal without superfluous zeros; `undefined` for what is no decimal
 */
export function millionTokenPrice(perToken: string | undefined): string | undefined {
	const match = /^(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i.exec(perToken?.trim() ?? '');
	if (!match) return undefined;
	const [, whole = '', fraction = '', exponent = '0'] = match;
	const digits = whole + fraction;
	if (digits === '') return undefined;
	const point = whole.length + Number(exponent) + 6;
	const padded =
		point > digits.length
			? digits.padEnd(point, '0')
			: digits.padStart(digits.length - Math.min(0, point), '0');
	const at = Math.max(0, point);
	const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '') || '0';
	const decimals = padded.slice(at).replace(/0+$/, '');
	return decimals === '' ? integer : `${integer}.${decimals}`;
}

/** A decimal number, exact: `digits` × 10^-`scale`. */
interface Decimal {
	digits: bigint;
	scale: number;
}

function readDecimal(text: string): Decimal | undefined {
	const match = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i.exec(text.trim());
	if (!match) return undefined;
	const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
	if (whole + fraction === '') return undefined;
	return {
		digits: BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`),
		scale: fraction.length - Number(exponent),
	};
}

/**
 * Compares two amounts of money on their digits.
 *
 * @param a decimal string, also in exponent form
 * @returns below 0 when `a` is less, 0 when they are equal, above 0 when `a` is more; `undefined` when one of them
 *   is no decimal
 */
export function compareDecimals(a: string, b: string): number | undefined {
	const [left, right] = [readDecimal(a), readDecimal(b)];
	if (!left || !right) return undefined;
	const scale = Math.max(left.scale, right.scale);
	const difference = atScale(left, scale) - atScale(right, scale);
	return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/**
 * Adds two amounts of money on their digits.
 *
 * @param a decimal string, also in exponent form
 * @param factor -1 to take `b` away
 * @returns a plain decimal string; `undefined` when one of them is no decimal
 */
export function addDecimals(a: string, b: string, factor: 1 | -1 = 1): string | undefined {
	const [left, right] = [readDecimal(a), readDecimal(b)];
	if (!left || !right) return undefined;
	const scale = Math.max(left.scale, right.scale, 0);
	return plain(atScale(left, scale) + BigInt(factor) * atScale(right, scale), scale);
}

function plain(digits: bigint, scale: number): string {
	const sign = digits < 0n ? '-' : '';
	const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
	return scale === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}

function atScale({ digits, scale }: Decimal, wanted: number): bigint {
	return digits * 10n ** BigInt(wanted - scale);
}

/**
 * What a call cost, for those who read only its error.
 *
 * @param costRub null where the format does not report it
 */
export function costText(costRub: number | null): string {
	return costRub === null ? 'The call was charged.' : `The call cost ₽${costRub}.`;
}
