import type { IHookFunctions } from 'n8n-workflow';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';

const trigger = new MediaTaskTrigger();

it.each(['checkExists', 'create', 'delete'] as const)(
	'%s succeeds and sends nothing: each task has its own callback URL',
	async (name) => {
		// The n8n functions that a registration would use are missing.
		const context = { getNode: () => ({ typeVersion: 1 }) } as IHookFunctions;
		expect(await trigger.webhookMethods.default[name].call(context)).toBe(true);
	},
);

describe('publishing', () => {
	const publish = async (typeVersion: number, binaryMode?: string) => {
		const getNode = () => ({ name: 'Trigger', typeVersion });
		const context = { getNode, getWorkflowSettings: () => ({ binaryMode }) } as IHookFunctions;
		return await trigger.webhookMethods.default.checkExists.call(context);
	};

	it.each([
		[1, 'separate'],
		[1, undefined],
		[1.1, 'combined'],
	])('is possible with version %d and the binary mode %s', async (typeVersion, binaryMode) => {
		expect(await publish(typeVersion, binaryMode)).toBe(true);
	});

	it('fails with version 1 where files are part of the JSON data: n8n rejects its callbacks', async () => {
		await expect(publish(1, 'combined')).rejects.toThrow(
			"The trigger gets no callbacks: with the workflow setting 'Execution Logic' v2, n8n rejects callbacks to version 1 of this node. Add the node again to get its newest version",
		);
	});
});

it('has the credential test that its description names', () => {
	const tests = trigger.description.credentials?.map(({ testedBy }) => testedBy);
	expect(tests).toStrictEqual(Object.keys(trigger.methods.credentialTest));
	expect(trigger.methods.credentialTest.testGateway).toBeInstanceOf(Function);
});
