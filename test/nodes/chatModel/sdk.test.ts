import type { ISupplyDataFunctions } from 'n8n-workflow';
import { getEventListeners } from 'node:events';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { loadSdk } from '../../../nodes/ChatModel/sdk';
import { rejection } from '../../helpers/client';
import { supplied } from './supplied';

// An n8n that brings no SDK for AI nodes, or another one.

/** What is found where n8n is, and then where this package is. */
let mockPlaces: Array<{ sdk: unknown }> = [];

jest.mock('@n8n/ai-node-sdk', () => {
	const place = mockPlaces.shift();
	if (place === undefined || place.sdk === 'none') throw new Error("Cannot find module '@n8n/ai-node-sdk'");
	return place.sdk;
});

beforeEach(() => {
	// A module that was found is not looked for again.
	jest.resetModules();
	mockPlaces = [];
});

const supplyModel = () => ({ response: {} });
const getParametersJsonSchema = () => ({});

it('without the SDK the node loads, so that the others load, too, and says what is missing when it is used', async () => {
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
		message: 'This n8n is too old for the Gateway Chat Model',
		description: expect.stringMatching(/Update n8n/) as string,
	});
});

it.each<[string, unknown]>([
	['no functions', {}],
	['no schemas of tools', { supplyModel }],
	['no models', { getParametersJsonSchema }],
])('an SDK that has %s is too old', (_, sdk) => {
	mockPlaces = [{ sdk }];
	expect(loadSdk).toThrow('too old');
});

it('the SDK that n8n brings is used, and loaded only when a model is asked for', () => {
	mockPlaces = [{ sdk: { supplyModel, getParametersJsonSchema, more: 1 } }, { sdk: 'none' }];
	new ChatModel();
	expect(mockPlaces).toHaveLength(2);
	expect(loadSdk()).toStrictEqual({ supplyModel, getParametersJsonSchema });
	expect(mockPlaces).toHaveLength(1);
});

it('an SDK that lies beside this package is used where n8n brings none', () => {
	mockPlaces = [{ sdk: 'none' }, { sdk: { supplyModel, getParametersJsonSchema } }];
	expect(loadSdk()).toStrictEqual({ supplyModel, getParametersJsonSchema });
});

it('a model that an SDK does not supply lets go of the execution, which lives on', async () => {
	const broken = () => {
		throw new Error('the SDK is broken');
	};
	mockPlaces = [{ sdk: { supplyModel: broken, getParametersJsonSchema } }];
	const { signal } = new AbortController();
	const added = jest.spyOn(signal, 'addEventListener');
	expect(await rejection(supplied({ cancelSignal: signal }))).toMatchObject({
		name: 'NodeOperationError',
		message: 'the SDK is broken',
	});
	expect(added).toHaveBeenCalledTimes(1);
	expect(getEventListeners(signal, 'abort')).toStrictEqual([]);
});
