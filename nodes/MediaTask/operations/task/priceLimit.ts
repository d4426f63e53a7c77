import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { compareDecimals } from '../../../shared/gateway/util/money';
import type { TaskPrice } from '../../../shared/gateway/media/price';

/**
 * Checks that a task costs at most `limit`.
 *
 * @param limit decimal text, in rubles
 * @throws {InvalidInputError} when the price is higher, or is not known
 */
export function checkPriceLimit(task: TaskPrice, limit: string): void {
	if (task.price === null || task.currency !== 'RUB') {
		throw new InvalidInputError(
			"The price of the task is unknown, so it cannot be compared with 'Max Price (Rubles)'",
			`${task.reason ?? `The catalogue gives it in ${task.currency}.`} Correct the input; without the option the task would be created at any price. Nothing was created.`,
			'maxPriceRub',
		);
	}
	if ((compareDecimals(task.price, limit) ?? 1) <= 0) return;
	throw new InvalidInputError(
		`The task would cost ₽${task.price}, more than the highest price of ₽${limit}`,
		"Choose a cheaper model or input, or raise the option 'Max Price (Rubles)'. Nothing was created.",
		'maxPriceRub',
	);
}
