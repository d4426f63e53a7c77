import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { compareDecimals } from '../../../shared/gateway/util/money';
import type { TaskPrice } from '../../../shared/gateway/media/price';
import type { Limit } from '../../../shared/run/cost/minBalance';

/**
 * Checks that a task costs at most `limit`.
 *
 * @param limit decimal text, in rubles
 * @throws {InvalidInputError} when the price is higher, or is not known
 */
export function checkPriceLimit(task: TaskPrice, limit: string): void {
	const rub = knownPrice(task, { label: 'Max Price (Rubles)', param: 'maxPriceRub' });
	if ((compareDecimals(rub, limit) ?? 1) <= 0) return;
	throw new InvalidInputError(
		`The task would cost ₽${rub}, more than the highest price of ₽${limit}`,
		"Choose a cheaper model or input, or raise the option 'Max Price (Rubles)'.",
		'maxPriceRub',
	);
}

/**
 * The price of a task as decimal text in rubles.
 *
 * @param limit the option that needs it
 * @throws {InvalidInputError} when it is not known
 */
export function knownPrice({ rub, reason }: TaskPrice, { label, param }: Limit): string {
	if (rub !== undefined) return rub;
	throw new InvalidInputError(
		`The price of the task is unknown, so it cannot be compared with '${label}'`,
		`${reason} Correct the input; without the option the task would be created at any price.`,
		param,
	);
}
