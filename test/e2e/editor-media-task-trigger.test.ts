import { eventually } from './support/eventually';
import { story } from './support/editor/story';
import { byId, gatewayNode, workflowOf } from './support/workflows';

// Gateway Media Task Trigger: its URLs, and a test call.

const scene = story('media-task-trigger', { settings: { taskDuration: { image: 100 } } });

scene('the trigger shows its URL, waits for a task that has it, and shows the result', async (stage) => {
	const { editor, environment } = stage;
	await editor.newWorkflow();
	const panel = await editor.addFirst('callback', 'Gateway Media Task', 'On media task succeeded');
	await panel.root.getByText('Webhook URLs', { exact: true }).click();
	await panel.root.getByTestId('radio-button-production').click();
	await panel.root.getByText(/\/webhook\/.+\/media-task/).waitFor();
	await panel.root.getByTestId('radio-button-test').click();
	const url = panel.root.getByText(/\/webhook-test\/.+\/media-task/);
	const copied = (await url.innerText()).trim();
	// A click while the panel is drawn again copies nothing.
	await eventually(async () => {
		await url.click();
		expect(await editor.clipboard()).toBe(copied);
	});

	await panel.startListening();
	const task = gatewayNode('Draw', 'mediaTask', {
		resource: 'task',
		operation: 'create',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '{"prompt": "a cat", "quality": "draft"}',
		options: { callbackUrl: copied },
	});
	await environment.runWorkflow(workflowOf('Orders', [task], { Start: ['Draw'] }));
	expect(await panel.outcome()).toMatchObject({ ok: true });
	const [item] = await panel.output.items();
	expect(item).toMatchObject({ state: 'success', model: 'aurora/canvas-1' });
	expect(item?.['taskId']).toBe(environment.gateway.control.tasks().at(-1)?.taskId);
	await panel.output.show('binary');
	await editor.image('media-task-trigger', 560);
});
