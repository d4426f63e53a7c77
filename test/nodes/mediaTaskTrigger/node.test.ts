import type { IHookFunctions } from 'n8n-workflow';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';

const trigger = new MediaTaskTrigger();

it.each(['checkExists', 'create', 'delete'] as const)(
	'%s succeeds and sends nothing: each task brings the address to be called',
	async (name) => {
		// Functions of n8n's that it would use are missing.
		const context = {} as IHookFunctions;
		expect(await trigger.webhookMethods.default[name].call(context)).toBe(true);
	},
);

it('tests its credential as it says', () => {
	const tests = trigger.description.credentials?.map(({ testedBy }) => testedBy);
	expect(tests).toStrictEqual(Object.keys(trigger.methods.credentialTest));
	expect(trigger.methods.credentialTest.testGateway).toBeInstanceOf(Function);
});
