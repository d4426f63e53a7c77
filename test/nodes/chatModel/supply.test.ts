import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { supplyContext } from '../../helpers/contexts';

jest.mock('@n8n/ai-node-sdk', () => ({
	supplyModel: () => {
		throw new Error('the SDK is broken');
	},
	getParametersJsonSchema: () => ({}),
}));

it('a model that cannot be supplied lets go of the execution, which lives on', async () => {
	const { context } = supplyContext({
		node: 'chatModel',
		parameters: { model: { __rl: true, mode: 'id', value: 'acme/writer' } },
		credential: { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-1' },
	});
	const { signal } = new AbortController();
	const added = jest.spyOn(signal, 'addEventListener');
	const removed = jest.spyOn(signal, 'removeEventListener');
	context.getExecutionCancelSignal = () => signal;
	await expect(new ChatModel().supplyData.call(context, 0)).rejects.toThrow('the SDK is broken');
	expect(added).toHaveBeenCalledTimes(1);
	expect(removed.mock.calls.map(([, listener]) => listener)).toStrictEqual([added.mock.calls[0]?.[1]]);
});
