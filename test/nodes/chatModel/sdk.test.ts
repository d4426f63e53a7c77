import type { ISupplyDataFunctions } from 'n8n-workflow';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';

// An n8n that brings no SDK for AI nodes.

jest.mock('@n8n/ai-node-sdk', () => {
	throw new Error("Cannot find module '@n8n/ai-node-sdk'");
});

it('without the SDK the node loads, so that the others load, too, and says what is missing when it is used', async () => {
	const node = new ChatModel();
	expect(node.description.name).toBe('chatModel');
	const context = {
		getNode: () => ({ name: 'Model', type: 'chatModel' }),
	} as unknown as ISupplyDataFunctions;
	await expect(node.supplyData.call(context, 0)).rejects.toMatchObject({
		message: 'This n8n is too old for the Gateway Chat Model',
		description: expect.stringMatching(/Update n8n/) as string,
	});
});
