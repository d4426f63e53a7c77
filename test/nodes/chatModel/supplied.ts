import type { INodeParameters, IRunExecutionData } from 'n8n-workflow';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { supplyContext } from '../../helpers/contexts';
import { gateway } from '../../helpers/media';
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
}

/** The supplied model, the function that closes it, and its runs in n8n's log. */
export async function supplied(given: SuppliedOptions = {}) {
	const {
		parameters,
		options = {},
		baseUrl = 'https://gateway.test/api/v1',
		apiKey = 'sk-test',
		minBalanceRub,
	} = given;
	const { context, execution } = supplyContext({
		node: 'chatModel',
		parameters: { model: locator('acme/writer'), options, ...parameters },
		credential: { baseUrl, apiKey, ...(minBalanceRub === undefined ? {} : { minBalanceRub }) },
		...(given.execution && { execution: given.execution }),
	});
	const { cancelSignal } = given;
	if (cancelSignal) context.getExecutionCancelSignal = () => cancelSignal;
	const { response, closeFunction } = await new ChatModel().supplyData.call(context, 0);
	return {
		lc: response as LangChainModel,
		close: async () => await closeFunction?.(),
		logged: () => execution.resultData.runData.Gateway ?? [],
	};
}

/** The model with a gateway that responds to one request with `body`, and the requests. The test uses nock. */
export async function modelWith(body: string) {
	const requests: JsonObject[] = [];
	const type = body.startsWith('{') ? 'application/json' : 'text/event-stream';
	gateway()
		.post('/api/v1/chat/completions', (sent: JsonObject) => requests.push(sent) > 0)
		.reply(200, body, { 'content-type': type });
	const options = { temperature: 0.5, extraBody: '{ "user": "me" }' };
	return { ...(await supplied({ options })), requests };
}
