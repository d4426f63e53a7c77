import type { ISupplyDataFunctions } from 'n8n-workflow';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { loadSdk } from '../../../nodes/ChatModel/sdk';

// An n8n without an SDK for AI nodes, or with another version of it.

/** The modules next to n8n, and then next to this package. */
let mockModules: Array<{ sdk: unknown }> = [];

jest.mock('@n8n/ai-node-sdk', () => {
	const found = mockModules.shift();
	if (found === undefined || found.sdk === 'none') throw new Error("Cannot find module '@n8n/ai-node-sdk'");
	return found.sdk;
});

beforeEach(() => {
	// A module that was found is cached.
	jest.resetModules();
	mockModules = [];
});

const supplyModel = () => ({ response: {} });
const getParametersJsonSchema = () => ({});

it('loads without the SDK, so that the other nodes load, and rejects with a hint when it is used', async () => {
	const node = new ChatModel();
	expect(node.description.name).toBe('chatModel');
	expect(node.methods).toStrictEqual({
		credentialTest: { testGateway: expect.any(Function) as unknown },
		listSearch: { searchTextModels: expect.any(Function) as unknown },
	});
	const context = {
		getNode: () => ({ name: 'Model', type: 'chatModel' }),
	} as unknown as ISupplyDataFunctions;
	await expect(node.supplyData.call(context, 0)).rejects.toMatchObject({
		message: expect.stringMatching(
			/^The Gateway Chat Model needs n8n 2.16 or newer\. .*Update n8n/,
		) as string,
	});
});

it.each<[string, unknown]>([
	['no functions', {}],
	['no tool schemas', { supplyModel }],
	['no models', { getParametersJsonSchema }],
])('an SDK with %s is too old', (_, sdk) => {
	mockModules = [{ sdk }];
	expect(loadSdk).toThrow('needs n8n 2.16');
});

it('uses the SDK of n8n, and loads it only when a model is supplied', () => {
	mockModules = [{ sdk: { supplyModel, getParametersJsonSchema, more: 1 } }, { sdk: 'none' }];
	new ChatModel();
	expect(mockModules).toHaveLength(2);
	expect(loadSdk()).toStrictEqual({ supplyModel, getParametersJsonSchema });
	expect(mockModules).toHaveLength(1);
});
