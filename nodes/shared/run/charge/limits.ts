import { asError, InvalidInputError } from '../../gateway/errors/errors';
import type { GatewayClient } from '../../gateway/client/client';
import { accountLimit } from './minBalance';
import type { Spending } from './spending';

/** What limits the cost of calls, by the name that workflows and credentials store. */
const LIMITS = {
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

/** The error for a limit that cannot be kept, because a price is not known. */
export function unknownPrice(what: string, reason: string, limit: Limit): InvalidInputError {
	return new InvalidInputError(`${what} is unknown, so '${LIMITS[limit]}' cannot be kept`, reason, limit);
}

/** A call that costs money, and what limits it. */
interface LimitedCall {
	client: GatewayClient;
	mostRub: string | undefined;
	maxCostRub: string | undefined;
	/** Why it may cost so much, if the user can change that. */
	because?: string | undefined;
}

/**
 * Reserves what a call may cost. One that does not fit beside the calls in progress waits for them.
 *
 * @returns ends the reservation; gets what the call may have cost
 * @throws {InvalidInputError} if it can never fit
 * @throws {ApiError} if the balance of the account is needed, and cannot be read
 * @throws {StoppedError} as soon as the run ends
 */
export async function reserve(
	spending: Spending,
	{ client, mostRub, maxCostRub, because }: LimitedCall,
): Promise<(rub: string) => void> {
	const limits = [spending.limit(maxCostRub), accountLimit(client)].filter((limit) => limit !== undefined);
	const call = {};
	try {
		for (;;) {
			for (const limit of limits) await limit.prepare?.(mostRub);
			// From here on, no other call comes between.
			const full = limits.filter((limit) => !limit.fits(mostRub));
			const [busy] = [...full, ...limits.filter(({ inProgress }) => !inProgress.isFirst(call))];
			if (!busy) break;
			// Calls of other executions do not wait behind it for this one's limit.
			for (const { inProgress } of limits) {
				if (inProgress === busy.inProgress) inProgress.join(call);
				else inProgress.leave(call);
			}
			await client.until(busy.inProgress.change());
		}
		const all = new Set([spending.inProgress, ...limits.map(({ inProgress }) => inProgress)]);
		const releases = [...all].map((inProgress) => inProgress.begin(mostRub));
		return (rub) => {
			for (const limit of limits) limit.ended?.(rub);
			for (const release of releases) release();
		};
	} catch (error) {
		throw withCause(error, because);
	} finally {
		for (const { inProgress } of limits) inProgress.leave(call);
	}
}

function withCause(error: unknown, because: string | undefined): Error {
	if (because === undefined || !(error instanceof InvalidInputError)) return asError(error);
	return new InvalidInputError(error.message, `${because} ${error.description}`, error.param);
}
