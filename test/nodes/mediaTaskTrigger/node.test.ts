import type { IHookFunctions } from 'n8n-workflow';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';

const trigger = new MediaTaskTrigger();

it.each(['checkExists', 'create', 'delete'] as const)(
	'%s succeeds and sends nothing: each task has its own callback URL',
	async (name) => {
		// The n8n functions that a registration would use are missing.
		const context = {} as IHookFunctions;
		expect(await trigger.webhookMethods.default[name].call(context)).toBe(true);
	},
);

it('has the credential test that its description names', () => {
	const tests = trigger.description.credentials?.map(({ testedBy }) => testedBy);
	expect(tests).toStrictEqual(Object.keys(trigger.methods.credentialTest));
	expect(trigger.methods.credentialTest.testGateway).toBeInstanceOf(Function);
});
