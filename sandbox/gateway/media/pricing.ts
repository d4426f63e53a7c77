/** What a task costs: the price of the tier that its input falls into (§2.2). */
import type { MediaModel } from '../catalogue/mediaModels';
import type { JsonObject } from '../jsonSchema';
import { accountPrice, type Nano } from '../money';

/** The account's price for the input (with defaults filled in): of all fitting tiers, the one with the most params. */
export function taskPrice(model: MediaModel, input: JsonObject): Nano | null {
	const fitting = model.tiers
		.filter(({ params }) => Object.entries(params).every(([name, value]) => input[name] === value))
		.sort((a, b) => Object.keys(b.params).length - Object.keys(a.params).length);
	return fitting[0] ? accountPrice(fitting[0].price) : null;
}
