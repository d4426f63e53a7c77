/** The price of a task: that of its input's tier (§2.2). */
import type { MediaModel } from '../catalogue/mediaModels';
import type { JsonObject } from '../jsonSchema';
import { accountPrice, type Nano } from '../money';

/** The account's price for the input (with defaults filled in): of all matching tiers, the one with the most params. */
export function taskPrice(model: MediaModel, input: JsonObject): Nano | null {
	const fitting = model.tiers
		.filter(({ params }) => Object.entries(params).every(([name, value]) => input[name] === value))
		.sort((a, b) => Object.keys(b.params).length - Object.keys(a.params).length);
	return fitting[0] ? accountPrice(fitting[0].price) : null;
}
