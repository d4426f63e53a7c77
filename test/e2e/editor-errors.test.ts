import type { Stored, WorkflowNode } from '../../sandbox/n8n/types';
import { withCredential } from '../../sandbox/n8n/workflows';
import type { NodePanel } from './support/editor/nodePanel';
import { story, type Stage } from './support/editor/story';
import { byId, gatewayNode, itemsNode, workflowOf } from './support/workflows';

// What goes wrong is told in the panel: what happened, what to do, and which item it was.

const scene = story('4-errors', { settings: { taskDuration: { image: 100 } } });

const ask = (name: string, parameters: Record<string, unknown> = {}): WorkflowNode =>
	gatewayNode(name, 'textGeneration', {
		resource: 'text',
		operation: 'generate',
		model: byId('sandbox/swift-1'),
		prompt: 'Hello',
		// One after the other: it is known which item fails first.
		options: { concurrency: 1 },
		...parameters,
	});

/** Nodes that fail, or are made to. All get three items, of which the second one asks for a failure. */
const nodes = [
	ask('Ask'),
	ask('Ask nothing', { prompt: '' }),
	ask('Ask what the item says', { prompt: '={{ $json.topic }}' }),
	ask('Ask what no item says', { prompt: '={{ $json.subject }}' }),
	ask('Ask nobody', { model: byId('sandbox/swft-1') }),
	ask('Ask for more', { options: { maxTokens: 4 }, prompt: 'Tell a long story' }),
	// Once: of several items with the same error, any may be the first.
	gatewayNode(
		'Draw with a video model',
		'mediaTask',
		{ resource: 'image', operation: 'generate', model: byId('lumen/motion-2'), prompt: 'A cat' },
		{ executeOnce: true },
	),
	gatewayNode('Draw', 'mediaTask', {
		resource: 'task',
		operation: 'createAndWait',
		model: byId('aurora/canvas-1'),
		inputMode: 'json',
		inputJson: '={{ JSON.stringify({ prompt: $json.picture, quality: "draft" }) }}',
	}),
];
const items = [
	{ topic: 'one', picture: 'A cat' },
	{ topic: '[[error:insufficient_quota]]', picture: 'A cat [[fail:CONTENT_POLICY]]' },
	{ topic: 'three', picture: 'A dog' },
];
const workflow = workflowOf('Errors', [itemsNode('Items', items), ...nodes], { Start: ['Items'] });
workflow.connections['Items'] = {
	main: [nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }))],
};

let stored: Stored | undefined;

/** Opens the panel of a node of the workflow. */
async function open({ editor, environment }: Stage, name: string): Promise<NodePanel> {
	const { client, credential } = environment;
	stored ??= await client.createWorkflow(withCredential(workflow, credential));
	await editor.openWorkflow(stored);
	return await editor.openNode(name);
}

/** Executes the node and looks at the error that the panel shows. */
async function expectError(
	{ editor }: Stage,
	panel: NodePanel,
	{ title, message, hint, item = 0 }: { title: string; message: string; hint: string; item?: number },
): Promise<void> {
	const outcome = await panel.execute();
	expect(outcome.ok).toBe(false);
	expect(outcome.message).toContain(message);
	// n8n appends the item, where there are several.
	expect(await panel.output.errorMessage.innerText()).toBe(`${message} [item ${item}]`);
	expect(await panel.output.errorDescription.innerText()).toContain(hint);
	await editor.shot(title);
	expect(await panel.output.errorFact('Item Index')).toBe(String(item));
}

scene('an empty prompt: n8n marks and names the field', async (stage) => {
	const panel = await open(stage, 'Ask nothing');
	const message = await panel.refuse();
	expect(message).toContain('Parameter "Prompt" is required.');
	await stage.editor.album.shot('an empty prompt', stage.editor.page);
});

scene('an expression that returns an empty prompt', async (stage) => {
	await expectError(stage, await open(stage, 'Ask what no item says'), {
		title: 'an expression that returns an empty prompt',
		message: "'Prompt' is empty",
		hint: 'If an expression fills it, the field it refers to is empty for this item.',
	});
});

scene('no money', async (stage) => {
	const { control } = stage.environment.gateway;
	const before = control.balance();
	control.setBalance('0.00');
	try {
		await expectError(stage, await open(stage, 'Ask'), {
			title: 'no money',
			message: 'There is not enough money in the gateway wallet',
			hint: 'Top up the wallet and run the workflow again',
		});
	} finally {
		control.setBalance(before);
	}
});

scene('a key that is no longer valid', async (stage) => {
	const { control, apiKey } = stage.environment.gateway;
	control.setKeyStatus(apiKey, 'revoked');
	try {
		await expectError(stage, await open(stage, 'Ask'), {
			title: 'a key that is no longer valid',
			message: 'The gateway refused the API key',
			hint: 'AI Gateway credential',
		});
	} finally {
		control.setKeyStatus(apiKey, 'active');
	}
});

scene('a model that does not exist: the error says to choose it again', async (stage) => {
	await expectError(stage, await open(stage, 'Ask nobody'), {
		title: 'a model that does not exist',
		message: 'The gateway does not know this model',
		hint: 'Choose the model again from the list',
	});
});

scene('a text that is cut off: a hint says what to do', async (stage) => {
	const panel = await open(stage, 'Ask for more');
	expect(await panel.execute()).toMatchObject({ ok: true });
	await panel.output.root.getByText("cut off at 4 tokens. Raise or remove the option 'Max Tokens'").waitFor();
	await panel.output.show('table');
	expect(await panel.output.root.locator('thead').innerText()).toMatch(/^\s*isComplete/);
	await stage.editor.shot('a text that is cut off');
});

scene('a task that fails', async (stage) => {
	await expectError(stage, await open(stage, 'Draw'), {
		title: 'a task that fails',
		message: 'The media task failed',
		hint: 'CONTENT_POLICY',
		item: 1,
	});
});

scene('one of several items: the error names the item', async (stage) => {
	await expectError(stage, await open(stage, 'Ask what the item says'), {
		title: 'one of several items',
		message: 'There is not enough money in the gateway wallet',
		hint: 'Top up the wallet',
		item: 1,
	});
});
