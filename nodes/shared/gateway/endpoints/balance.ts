import { asNumber, compact, type JsonObject } from '../util/json';
import { asDecimal, compareDecimals } from '../util/money';
import type { GatewayClient } from '../client/client';
import { missingInResponse } from './response';

export type AccountBalance = ReturnType<typeof readBalance>;

/** Fetches the balance (§4.18): the body as received. */
export async function fetchBalance(client: GatewayClient): Promise<JsonObject> {
	return await client.json({ endpoint: 'fetchBalance', kind: 'read', path: '/balance' });
}

/** Reads both shapes of §2.8: `{amount}` and `{RUB, USD}`. A balance that is not known is an error, never zero. */
export function readBalance(body: JsonObject) {
	const amount = asDecimal(body.amount) ?? asDecimal(body.RUB);
	if (amount === undefined) throw missingInResponse('balance');
	return {
		/** Rounded by floating point; `amount` is exact, as the server sends it. */
		amountRub: Number(amount),
		amount,
		currency: 'RUB',
		...compact({ amountUsd: asNumber(body.USD) }),
	};
}

/** Whether the balance is below a threshold in rubles, compared on the digits. */
export function isBelow({ amount }: AccountBalance, threshold: string): boolean {
	return compareDecimals(amount, threshold) === -1;
}
