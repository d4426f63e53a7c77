import { eventually } from './support/eventually';
import { story } from './support/editor/story';

// Gateway Media Task Trigger: its URLs, and a test call.

const scene = story('media-task-trigger', { settings: { taskDuration: { image: 100 } } });

scene(
	'the trigger shows its URLs, waits for a task of another tab that has the test URL, and shows the result',
	async (stage) => {
		const { editor, environment } = stage;
		await editor.newWorkflow();
		const panel = await editor.addFirst('callback', 'Gateway Media Task', 'On media task succeeded');
		await panel.root.getByText('Webhook URLs', { exact: true }).click();
		const url = panel.root.getByText(/\/webhook-test\/.+\/media-task/);
		const copied = (await url.innerText()).trim();
		// A click while the panel is drawn again copies nothing.
		let attempts = 0;
		await eventually(async () => {
			attempts += 1;
			await url.click();
			expect(await editor.clipboard()).toBe(copied);
		});

		await panel.startListening();
		const other = await editor.inNewTab();
		await other.newWorkflow();
		const task = await other.addFirst('create media task', 'Gateway Media Task', 'Create media task');
		await task.openPicker();
		await task.chooseModel('aurora/canvas-1');
		await task.fill('prompt', 'a cat');
		await task.addOption('Callback URL');
		await task.fill('callbackUrl', copied);
		expect(await task.execute()).toMatchObject({ ok: true });
		expect(await panel.outcome()).toMatchObject({ ok: true });
		expect(await editor.interactions()).toStrictEqual({ clicks: 5 + attempts, fields: 1 });
		expect(await other.interactions()).toStrictEqual({ clicks: 9, fields: 3 });
		await other.page.close();
		const [item] = await panel.output.items();
		expect(item).toMatchObject({ state: 'success', model: 'aurora/canvas-1' });
		expect(item?.['taskId']).toBe(environment.gateway.control.tasks().at(-1)?.taskId);
		await panel.output.show('binary');
		await editor.image('media-task-trigger', 560);
		await panel.root.getByTestId('radio-button-production').click();
		await panel.root.getByText(/\/webhook\/.+\/media-task/).waitFor();
	},
);
