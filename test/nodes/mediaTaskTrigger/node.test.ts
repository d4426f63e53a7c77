import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';

const trigger = new MediaTaskTrigger();

it.each(['checkExists', 'create', 'delete'] as const)(
	'%s succeeds and sends nothing: each task has its own callback URL',
	async (name) => expect(await trigger.webhookMethods.default[name]()).toBe(true),
);

it('has one version, and not version 1, whose callbacks n8n rejects where files are part of the JSON data', () => {
	expect(trigger.description.version).toBe(1.1);
});
