import type { Gateway } from '../../sandbox/gateway/gateway';
import type { WorkflowJson, WorkflowNode } from '../../sandbox/n8n/types';
import { byId, gatewayNode, itemsNode, workflowOf } from '../../test/e2e/support/workflows';
import { httpRequest, signedWith } from '../httpRequest';

const MODEL = 'aurora/canvas-1';

/** A workflow that creates tasks, waits for all of them and fetches their files, an item each. */
export interface Contender {
	name: string;
	/** The node that outputs the files, in one run or in several. */
	lastNode: string;
	workflow: (tasks: number, gateway: Gateway) => WorkflowJson;
}

export function mediaTaskNode(waitStrategy: 'poll' | 'suspend', concurrency: number): Contender {
	return {
		name: `Media Task, \`${waitStrategy}\`, concurrency ${concurrency}`,
		lastNode: 'Media',
		workflow: (tasks) => {
			const node = gatewayNode('Media', 'mediaTask', {
				resource: 'task',
				operation: 'createAndWait',
				model: byId(MODEL),
				inputMode: 'json',
				inputJson: '={{ JSON.stringify({ prompt: $json.prompt }) }}',
				waitStrategy,
				options: { concurrency },
			});
			return workflowOf(`Media ${waitStrategy}`, [promptsNode(tasks), node], {
				Start: ['Prompts'],
				Prompts: ['Media'],
			});
		},
	};
}

/** The same with n8n's own nodes, as users build it: create, then wait and poll until every task has ended. */
export function httpRequestLoop(pauseSeconds: number): Contender {
	return {
		name: `HTTP Request, Wait ${pauseSeconds} s, If, in a loop`,
		lastNode: 'Files',
		workflow: (tasks, { baseUrl, apiKey }) => {
			const address = `${baseUrl}/async/media/tasks`;
			const nodes = [
				promptsNode(tasks),
				httpRequest('Create', {
					method: 'POST',
					url: address,
					...signedWith(apiKey),
					sendBody: true,
					specifyBody: 'json',
					jsonBody: `={{ JSON.stringify({ model: '${MODEL}', input: { prompt: $json.prompt } }) }}`,
				}),
				{
					name: 'Wait',
					type: 'n8n-nodes-base.wait',
					typeVersion: 1.1,
					parameters: { resume: 'timeInterval', amount: pauseSeconds, unit: 'seconds' },
				},
				httpRequest('Poll', { url: `=${address}/{{ $json.data.taskId }}`, ...signedWith(apiKey) }),
				hasSucceeded('Ended?'),
				httpRequest('Files', {
					url: '={{ JSON.parse($json.data.resultJson).resultUrls[0] }}',
					options: { response: { response: { responseFormat: 'file' } } },
				}),
			];
			return workflowOf('Media by HTTP Request', nodes, {
				Start: ['Prompts'],
				Prompts: ['Create'],
				Create: ['Wait'],
				Wait: ['Poll'],
				Poll: ['Ended?'],
				'Ended?': ['Files', 'Wait'],
			});
		},
	};
}

function promptsNode(count: number): WorkflowNode {
	return itemsNode(
		'Prompts',
		Array.from({ length: count }, (_, n) => ({ prompt: `picture ${n}` })),
	);
}

function hasSucceeded(name: string): WorkflowNode {
	const condition = {
		id: 'state',
		leftValue: '={{ $json.data.state }}',
		rightValue: 'success',
		operator: { type: 'string', operation: 'equals' },
	};
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	return {
		name,
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: { conditions: { options, conditions: [condition], combinator: 'and' } },
	};
}
