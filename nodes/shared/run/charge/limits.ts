import { LimitError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';
import { rubles } from '../../gateway/util/money';
import { counted } from '../../gateway/util/text';
import { minBalance } from '../../n8n/credential';
import { maxCostRub } from '../settings';
import type { Sum } from './sums';
import { MAKE_CHEAPER } from './words';

export type Limit = typeof minBalance;

export const executionLimit: Limit = { param: 'maxCostRub', label: maxCostRub.label };

/** What limits the cost of a call: the option of the node, else the credential. */
export function costLimit({ settings }: GatewayClient, maxRub: string | undefined): Limit | undefined {
	if (maxRub !== undefined) return executionLimit;
	return settings.minBalanceRub === undefined ? undefined : minBalance;
}

export function unknownPrice(what: string, reason: string, { param, label }: Limit): LimitError {
	return new LimitError(`${what} is unknown, so '${label}' cannot be kept`, reason, param);
}

/** The error for a limit of an execution in which so many calls may have cost any amount. */
export function unknownCosts(calls: number): LimitError {
	return new LimitError(
		`'${executionLimit.label}' cannot be enforced: the cost of earlier calls is unknown`,
		`The cost of ${counted(calls, 'earlier call')} is unknown. Set the option in all nodes of the workflow that use the gateway: they then reserve what a call may cost. Without the option, this node sends its calls at any cost.`,
		executionLimit.param,
	);
}

/** The error for a call that does not fit beside what its execution has spent. Amounts are decimal text in rubles. */
export function tooExpensive(maxRub: string, limitRub: string, { rub, unknownRub }: Sum): LimitError {
	const unknown =
		unknownRub === '0' ? '' : `, and up to ${rubles(unknownRub)} for calls whose cost is unknown`;
	const spent =
		rub === '0' && unknown === ''
			? `The limit is ${rubles(limitRub)}, and nothing is spent yet: this call alone may cost more.`
			: `Of ${rubles(limitRub)}, the execution has spent ${rubles(rub)}${unknown}. A retry may cost as much again.`;
	return new LimitError(
		`The call may cost ${rubles(maxRub)}, more than is left of '${executionLimit.label}'`,
		`${spent} Raise the option, or ${MAKE_CHEAPER}`,
		executionLimit.param,
	);
}
