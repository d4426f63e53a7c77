import { story } from './support/editor/story';
import { eventually } from './support/eventually';

// An AI Agent with a chat model and a media tool, built from an empty canvas.

const scene = story('agent-tool');

const NOTICE = "To let the agent's model write the prompt, click the sparkle button beside it";

scene(
	'the panel of a tool says how the model gets to write the prompt, and the agent draws what the chat asks for',
	async ({ editor, environment }) => {
		const { gateway } = environment;
		gateway.control.configure({ taskDuration: { image: 100 } });
		await editor.newWorkflow();
		// n8n adds a chat trigger before it.
		let panel = await editor.addFirst('agent', 'AI Agent');
		await panel.close();
		panel = await editor.addBelow('AI Agent', 'ai_languageModel', 'gateway', 'Gateway Chat Model');
		await panel.openPicker();
		await panel.chooseModel('sandbox/balanced-2');
		await panel.close();
		panel = await editor.addBelow('AI Agent', 'ai_tool', 'gateway media', 'Gateway Media Task Tool');
		await panel.column.getByText(NOTICE).waitFor();
		await panel.openPicker();
		await panel.chooseModel('aurora/canvas-1');
		await panel.letModelFill('prompt');
		await panel.close();
		await editor.chat.ask('Please draw a grey cat');
		expect(await editor.interactions()).toStrictEqual({ clicks: 16, fields: 4 });
		await eventually(() => expect(gateway.control.tasks()).toHaveLength(1));
		expect(gateway.control.tasks()[0]?.input.prompt).toContain('grey cat');
	},
);
