import { agent, start } from './support/agents';
import { story } from './support/editor/story';
import { eventually } from './support/eventually';

// A media tool below an AI Agent, before its first run.

const scene = story('agent-tool');

const NOTICE = "To let the agent's model write the prompt, click the sparkle button beside it";

scene(
	'the panel says how the model gets to write the prompt, and it does',
	async ({ editor, environment }) => {
		const { gateway } = environment;
		gateway.control.configure({ taskDuration: { image: 100 } });
		const nodes = [
			{ ...start, id: 'start', position: [0, 0] },
			{ ...agent('Please draw a grey cat'), id: 'agent', position: [260, 0] },
		];
		const workflow = await environment.client.createWorkflow({
			name: 'Agent with a tool',
			nodes,
			connections: { Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] } },
			settings: { executionOrder: 'v1' },
		});
		await editor.openWorkflow(workflow);
		let panel = await editor.addBelow('Agent', 'ai_languageModel', 'gateway', 'Gateway Chat Model');
		await panel.pickModel('sandbox/balanced-2');
		await panel.close();
		panel = await editor.addBelow('Agent', 'ai_tool', 'gateway media', 'Gateway Media Task Tool');
		await panel.column.getByText(NOTICE).waitFor();
		await panel.pickModel('aurora/canvas-1');
		await panel.letModelFill('prompt');
		await panel.close();
		await editor.execute();
		await eventually(() => expect(gateway.control.tasks()).toHaveLength(1));
		expect(gateway.control.tasks()[0]?.input.prompt).toContain('grey cat');
	},
);
