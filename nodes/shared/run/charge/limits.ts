import { InvalidInputError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';

/** What limits the cost of calls, by the name that workflows and credentials store. */
export const LIMITS = {
	maxCostRub: 'Max Cost per Execution (₽)',
	maxPriceRub: 'Max Price (₽)',
	minBalanceRub: 'Minimum Balance (₽)',
};
export type Limit = keyof typeof LIMITS;

/** What limits the cost of a call: the option of the node, else the credential. */
export function costLimit({ settings }: GatewayClient, maxCostRub: string | undefined): Limit | undefined {
	if (maxCostRub !== undefined) return 'maxCostRub';
	return settings.minBalanceRub === undefined ? undefined : 'minBalanceRub';
}

export function unknownPrice(what: string, reason: string, limit: Limit): InvalidInputError {
	return new InvalidInputError(`${what} is unknown, so '${LIMITS[limit]}' cannot be kept`, reason, limit);
}
