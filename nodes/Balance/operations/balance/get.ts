import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { fetchBalance, isBelow, readBalance } from '../../../shared/gateway/endpoints/balance';

const thresholdOption: INodeProperties = {
	displayName: 'Threshold (Rubles)',
	name: 'threshold',
	type: 'number',
	typeOptions: { numberPrecision: 2 },
	default: 100,
	description:
		"Adds 'lowBalance' to the output: whether less than this is left. An IF node can then send an alert.",
};

/** Gets the balance of the account (§4.18). */
export const get: Operation = {
	displayName: 'Get',
	action: 'Get balance',
	description: 'Retrieve the balance: the money left in the wallet, in rubles',
	properties: [simplifyField],
	options: [thresholdOption],
	async execute({ parameters, client }: ItemContext): Promise<OperationOutput[]> {
		const threshold = parameters.options.number('threshold', 'Threshold (Rubles)');
		const simplify = parameters.flag('simplify', 'Simplify');
		const body = await fetchBalance(client);
		if (threshold === undefined) return [{ json: simplify ? compact(readBalance(body)) : body }];
		const balance = readBalance(body);
		const lowBalance = isBelow(balance, String(threshold));
		return [{ json: { ...(simplify ? compact(balance) : body), lowBalance } }];
	},
};
