/** Rubles as integers of 1e-9 ruble: sums and products of prices stay exact. */
export type Nano = bigint;

const scale = 1_000_000_000n;

/** Reads a decimal string such as `12.5`; throws on anything else and on more than nine decimals. */
export function parseRubles(text: string): Nano {
	const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text);
	if (!match) throw new Error(`Not an amount in rubles: ${text}`);
	const [, sign = '', whole = '0', fraction = ''] = match;
	const nano = BigInt(whole) * scale + BigInt(fraction.padEnd(9, '0'));
	return sign === '-' ? -nano : nano;
}

/** The exact decimal string, with at least `minDecimals` decimals. */
export function formatRubles(amount: Nano, minDecimals = 2): string {
	const sign = amount < 0n ? '-' : '';
	const absolute = amount < 0n ? -amount : amount;
	const fraction = (absolute % scale).toString().padStart(9, '0').replace(/0+$/, '');
	const decimals = fraction.padEnd(minDecimals, '0');
	return `${sign}${absolute / scale}${decimals ? `.${decimals}` : ''}`;
}

/** The JSON number whose shortest form is the exact decimal. */
export function toNumber(amount: Nano): number {
	return Number(formatRubles(amount));
}

/** Account prices are 10 % below the base prices (§2.1). */
export function accountPrice(base: Nano): Nano {
	return (base * 9n) / 10n;
}
