import type { INodeParameters, IRunExecutionData } from 'n8n-workflow';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { supplyContext } from '../../helpers/contexts';
import { locator } from '../../helpers/values';
import type { LangChainModel } from './support';

// The model as n8n supplies it to an agent.

export interface SuppliedOptions {
	parameters?: INodeParameters;
	/** The options of the panel. */
	options?: INodeParameters;
	baseUrl?: string;
	apiKey?: string;
	minBalanceRub?: number;
	/** The execution of the agent; a new one by default. */
	execution?: IRunExecutionData;
	/** Cancels the execution. */
	cancelSignal?: AbortSignal;
	/** The item of the agent; the first one by default. */
	itemIndex?: number;
}

/** The supplied model, the function that closes it, and its runs in n8n's log. */
export async function supplied(given: SuppliedOptions = {}) {
	const {
		parameters,
		options = {},
		baseUrl = 'https://gateway.test/api/v1',
		apiKey = 'sk-test',
		minBalanceRub,
		itemIndex = 0,
	} = given;
	const { context, execution } = supplyContext({
		node: 'chatModel',
		parameters: { model: locator('acme/writer'), options, ...parameters },
		credential: { baseUrl, apiKey, ...(minBalanceRub === undefined ? {} : { minBalanceRub }) },
		...(given.execution && { execution: given.execution }),
	});
	const { cancelSignal } = given;
	if (cancelSignal) context.getExecutionCancelSignal = () => cancelSignal;
	const { response, closeFunction } = await new ChatModel().supplyData.call(context, itemIndex);
	return {
		lc: response as LangChainModel,
		close: async () => await closeFunction?.(),
		logged: () => execution.resultData.runData.Gateway ?? [],
	};
}
