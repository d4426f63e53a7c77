import { opening, story } from './support/editor/story';
import { behindItems, byId, gatewayNode, itemsNode } from './support/workflows';

// An execution that fails when most of it is paid for: what its user reads, and where *Retry* is.

const scene = story('retry');

const prompts = Array.from({ length: 10 }, (_, n) => ({ prompt: `[[say:text ${n}]]` }));
const write = gatewayNode('Write', 'textGeneration', {
	model: byId('sandbox/swift-1'),
	prompt: '={{ $json.prompt }}',
});
const openTexts = opening(behindItems('Texts', itemsNode('Items', prompts), [write]));

scene(
	'the error says what nine texts cost; *Retry* returns ten, and says what it cost itself',
	async (stage) => {
		const { editor, environment } = stage;
		const { page } = editor;
		environment.gateway.control.addFault({
			match: { path: '/chat/completions', nth: 10 },
			action: { kind: 'error', code: 'invalid_request' },
		});
		await openTexts(stage);
		await editor.execute();
		await editor.node('Write').getByTestId('canvas-node-status-mark-error').waitFor();
		const failed = await editor.openNode('Write');
		const description = await failed.output.errorDescription.innerText();
		expect(description).toMatch(/9 other items cost ₽.*use 'Retry' of this execution/);
		await failed.close();

		await page.getByTestId('radio-button-executions').click();
		await page.getByTestId('execution-preview-retry-button').click();
		await page.locator('[role="menuitem"]:visible', { hasText: 'Retry with original workflow' }).click();
		await page.getByText('Retry of execution').click();
		await page.getByTestId('execution-preview-label').getByText('Succeeded').waitFor();
		await editor.node('Write').getByTestId('canvas-node-status-success').waitFor();
		const retried = await editor.openNode('Write');
		await retried.output.root.getByText(/^Cost: ₽.*before this retry: ₽.*\)$/).waitFor();
		await retried.output.root.getByText('10 items').waitFor();
	},
);
