import type { GatewayProcess } from '../processes';
import type { Work } from './worker';

export type Kind = 'texts' | 'tasks';

/** The work of a worker: an execution for each size. */
export function workOf(gateway: GatewayProcess, kind: Kind, sizes: number[], name: string): Work {
	return {
		credential: gateway.credential,
		executions: sizes.map((items, index) => ({ id: `${name}-${index}`, items, ...nodes[kind] })),
	};
}

const id = (value: string) => ({ __rl: true, mode: 'id', value });

const nodes: Record<Kind, Pick<Work['executions'][number], 'node' | 'parameters'>> = {
	texts: {
		node: 'textGeneration',
		parameters: {
			resource: 'text',
			operation: 'generate',
			model: id('sandbox/balanced-2'),
			prompt: 'Hello',
		},
	},
	tasks: {
		node: 'mediaTask',
		parameters: {
			resource: 'task',
			operation: 'createAndWait',
			model: id('aurora/canvas-1'),
			inputMode: 'json',
			inputJson: '={{ { prompt: "order " + $json.index, quality: "draft", size: "512x512" } }}',
		},
	},
};
