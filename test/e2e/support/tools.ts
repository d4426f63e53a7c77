import type { WorkflowNode } from '../../../sandbox/n8n/types';
import { byId, gatewayNode, type Service } from './workflows';

// Nodes of the package as tools that introduce themselves. *Let the model define this parameter* is on for some.

/** What the editor stores for a parameter that the model defines. */
export const fromAi = (key: string, description: string, type = 'string', value?: string): string =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}'${value === undefined ? '' : `, '${value}'`}) }}`;

const tool = (name: string, type: string, parameters: Record<string, unknown>): [Service, WorkflowNode] => [
	'ai_tool',
	gatewayNode(name, type, parameters),
];

/** Generates media; the model defines the media model and the fields of its form. */
export const mediaTool = tool('Create media task in Gateway Media Task', 'mediaTaskTool', {
	resource: 'task',
	operation: 'createAndWait',
	model: byId(fromAi('Model', 'ID of the model', 'string', 'aurora/canvas-1')),
	inputMode: 'form',
	input: {
		mappingMode: 'defineBelow',
		value: {
			prompt: fromAi('Prompt', 'What to see'),
			quality: fromAi('Quality', 'Quality', 'string', 'draft'),
			num_images: fromAi('Number_of_Images', 'How many', 'number', '1'),
		},
		matchingColumns: [],
		schema: [],
	},
});

/** Looks at a picture; the model defines its URL and the question. */
export const imageTool = tool('Analyze image in Gateway Text Generation', 'textGenerationTool', {
	resource: 'image',
	operation: 'analyze',
	model: byId('sandbox/balanced-2'),
	source: 'url',
	url: fromAi('URL', 'Address of the picture', 'string', 'https://example.com/a.png'),
	prompt: fromAi('Prompt', 'What to find out'),
});

/** Has no input. */
export const balanceTool = tool('Get balance in Gateway Balance', 'balanceTool', {});
