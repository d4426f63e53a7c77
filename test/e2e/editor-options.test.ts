import { withCredential } from '../../sandbox/n8n/workflows';
import { story } from './support/editor/story';
import { gatewayNode, workflowOf } from './support/workflows';

// The list under *Add option*, and its groups: n8n shows only names in the list, and shows and keeps the fields of a group.

const scene = story('7-options');

scene('a group of options keeps what it has, and another one is added', async ({ editor, environment }) => {
	const node = gatewayNode('Text', 'textGeneration', {
		resource: 'text',
		operation: 'generate',
		model: { __rl: true, mode: 'id', value: 'sandbox/swift-1' },
		prompt: 'Hello',
		options: { providerRouting: { values: { providerSort: 'price' } } },
	});
	const { client, credential, gateway } = environment;
	const workflow = withCredential(workflowOf('Options', [node], { Start: ['Text'] }), credential);
	await editor.openWorkflow(await client.createWorkflow(workflow));
	const panel = await editor.openNode('Text');
	await panel.scrollTo('providerSort');
	expect(await panel.field('providerSort').inputValue()).toBe('price');
	await editor.shot('a group');
	await panel.root.getByTestId('collection-parameter-add').click();
	await editor.shot('the list');
	await panel.root.page().keyboard.press('Escape');
	await panel.addOption('Penalties for Repetition');
	await panel.fill('presencePenalty', '0.5');
	await editor.shot('two groups');
	expect(await panel.execute()).toMatchObject({ ok: true });
	const sent = gateway.control.requests({ path: '/chat/completions' }).at(-1);
	expect(sent?.body.json).toMatchObject({ provider: { sort: 'price' }, presence_penalty: 0.5 });
});
