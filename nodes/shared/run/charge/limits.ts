import { InvalidInputError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';
import { rubles } from '../../gateway/util/money';
import { counted } from '../../gateway/util/text';
import type { Sum } from './sums';
import { MAKE_CHEAPER } from './words';

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

/** The error for a limit of an execution in which so many calls may have cost any amount. */
export function unknownCosts(calls: number): InvalidInputError {
	return new InvalidInputError(
		`'${LIMITS.maxCostRub}' cannot be enforced: the cost of earlier calls is unknown`,
		`The cost of ${counted(calls, 'earlier call')} is unknown. Set the option in all nodes of the workflow that use the gateway: they then reserve what a call may cost. Without the option, this node sends its calls at any cost.`,
		'maxCostRub',
	);
}

/** The error for a call that does not fit beside what its execution has spent. Amounts are decimal text in rubles. */
export function tooExpensive(maxRub: string, limitRub: string, { rub, unknownRub }: Sum): InvalidInputError {
	const unknown =
		unknownRub === '0' ? '' : `, and up to ${rubles(unknownRub)} for calls whose cost is unknown`;
	const spent =
		rub === '0' && unknown === ''
			? `The limit is ${rubles(limitRub)}, and nothing is spent yet: this call alone may cost more.`
			: `Of ${rubles(limitRub)}, the execution has spent ${rubles(rub)}${unknown}. A retry may cost as much again.`;
	return new InvalidInputError(
		`The call may cost ${rubles(maxRub)}, more than is left of '${LIMITS.maxCostRub}'`,
		`${spent} Raise the option, or ${MAKE_CHEAPER}`,
		'maxCostRub',
	);
}
