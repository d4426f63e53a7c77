import type { ItemContext, Operation, OperationOutput } from '../../../shared/execution/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { fetchBalance, readBalance } from '../../../shared/gateway/balance';

/** Gets the balance of the account (§4.18). */
export const get: Operation = {
	displayName: 'Get',
	action: 'Get the balance',
	description: 'Get the money left in the wallet, in rubles',
	properties: [simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const body = await fetchBalance(item.client);
		return [{ json: item.parameters.flag('simplify') ? compact(readBalance(body)) : body }];
	},
};
