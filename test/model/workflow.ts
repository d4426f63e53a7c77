import { Workflow, type IConnections, type INodeExecutionData, type INodeType } from 'n8n-workflow';

import { prepare, type RunOptions } from '../helpers/engine';
import type { History } from './history';

/** A picture of one pixel. */
const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const locator = (value: string) => ({ __rl: true, mode: 'id', value });

/** How the node of a history runs. */
export function runOptions(history: History): RunOptions {
	const { items, hasFile, onError, tries, repeated } = history;
	const binary = { data: { data: PIXEL, mimeType: 'image/png', fileName: 'pixel.png' } };
	return {
		node: history.operation === 'text' ? 'textGeneration' : 'mediaTask',
		parameters: history.operation === 'text' ? textParameters(history) : mediaParameters(history),
		...(repeated && { asTool: true }),
		items: Array.from({ length: items }, (_, item) => ({
			json: { item, ...(repeated && { toolCallId: 'call-1' }) },
			...(hasFile && { binary }),
		})),
		settings: { onError, retryOnFail: tries > 1, maxTries: tries, waitBetweenTries: 1 },
	};
}

/** An expression that names the order. */
function order({ input, failing }: History): string {
	const changing = { same: `''`, now: '$now.toMillis()', random: 'Math.random()' }[input];
	const fails = `(${JSON.stringify(failing)}.includes($itemIndex) ? '[[fail]]' : '')`;
	return `'order ' + $runIndex + '.' + $itemIndex + ' ' + ${fails} + ${changing}`;
}

function requestOptions({ concurrency, maxRetries, maxCost }: History) {
	return { concurrency, maxRetries, timeout: 1, ...(maxCost !== null && { maxCostRub: maxCost }) };
}

function textParameters(history: History): RunOptions['parameters'] {
	return {
		resource: 'text',
		operation: 'generate',
		model: locator('sandbox/swift-1'),
		prompt: `=[[say:order {{ $runIndex }}.{{ $itemIndex }}]] {{ ${order(history)} }}`,
		options: { ...requestOptions(history), maxTokens: 50 },
	};
}

function mediaParameters(history: History): RunOptions['parameters'] {
	const { operation, hasFile, download, scope, maxWait } = history;
	const input = `{ prompt: ${order(history)}${hasFile ? '' : `, quality: 'draft', size: '512x512'`} }`;
	const files = [{ binaryPropertyName: 'data', inputField: 'image_urls' }];
	const waits = operation !== 'create';
	return {
		resource: 'task',
		operation: waits ? 'createAndWait' : 'create',
		model: locator(hasFile ? 'aurora/retouch-1' : 'aurora/canvas-1'),
		inputMode: 'json',
		inputJson: `={{ JSON.stringify(${input}) }}`,
		...(hasFile && { inputFiles: { files } }),
		...(waits && { waitStrategy: operation, downloadResults: download }),
		options: {
			...requestOptions(history),
			idempotencyScope: scope,
			...(waits && { maxWait: maxWait / 60 }),
		},
	};
}

/** Passes the items of its first run on to its first output, and those of later runs to its second. */
function gate(): INodeType {
	let runs = 0;
	return {
		description: {
			displayName: 'Gate',
			name: 'gate',
			group: ['transform'],
			version: 1,
			description: '',
			defaults: {},
			inputs: ['main'],
			outputs: ['main', 'main'],
			properties: [],
		},
		execute() {
			const items: INodeExecutionData[] = this.getInputData();
			runs += 1;
			return Promise.resolve(runs === 1 ? [items, []] : [[], items]);
		},
	};
}

/** Builds the workflow of a history anew, as n8n does each time that it starts or resumes an execution. */
export function workflowOf(history: History, options: RunOptions) {
	const gateNode = gate();
	return () => {
		const prepared = prepare(options);
		if (!history.loop) return prepared;
		const { workflow } = prepared;
		const { nodeTypes } = workflow;
		const find = (type: string): INodeType =>
			type === 'test.gate' ? gateNode : nodeTypes.getByNameAndVersion(type);
		const connections: IConnections = {
			...workflow.connectionsBySourceNode,
			Gateway: { main: [[{ node: 'Gate', type: 'main', index: 0 }]] },
			Gate: { main: [[{ node: 'Gateway', type: 'main', index: 0 }]] },
		};
		const gateSettings = {
			id: 'node-2',
			name: 'Gate',
			type: 'test.gate',
			typeVersion: 1,
			position: [400, 0] as [number, number],
			parameters: {},
		};
		const looping = new Workflow({
			id: 'workflow-1',
			nodes: [...Object.values(workflow.nodes), gateSettings],
			connections,
			active: false,
			nodeTypes: { ...nodeTypes, getByName: find, getByNameAndVersion: find },
			settings: { executionOrder: 'v1' },
		});
		return { ...prepared, workflow: looping };
	};
}
