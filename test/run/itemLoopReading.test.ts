import type { IExecuteFunctions } from 'n8n-workflow';

import { executeRegistry } from '../../nodes/shared/run/itemLoop';
import { defineOperation } from '../../nodes/shared/run/operation';
import { Registry } from '../../nodes/shared/run/registry';
import { text } from '../../nodes/shared/params/kinds';
import { someNode } from '../helpers/someNode';

// Before the first request, all items are read and checked.

/** What is done with items, in order. */
let log: string[];
beforeEach(() => (log = []));

const thing = defineOperation({
	displayName: 'Make',
	action: 'Make a thing',
	description: 'Make a thing',
	parameters: { value: text({ displayName: 'Value', whenEmpty: 'Enter one.' }) },
	plan: ({ index }) => `plan ${index}`,
	execute: async ({ index, params: { value } }, planned) => {
		log.push(`send ${index}`);
		expect(planned).toBe(`plan ${index}`);
		if (value.startsWith('refused')) throw new Error('refused');
		return await Promise.resolve([{ json: { size: value.length } }]);
	},
});
const registry = new Registry({ things: { displayName: 'Thing', operations: { make: thing } } });

interface Run {
	/** What n8n stores with the execution. */
	store?: object;
	signal?: AbortSignal;
	continues?: boolean;
	onRead?: (index: number) => void;
}

/** Runs the node for these values; returns the message of its error. */
async function runFor(values: string[], { store = {}, signal, continues = false, onRead }: Run = {}) {
	const options = { concurrency: 1 };
	const parameters = { resource: 'things', operation: 'make', value: '={{ $json.value }}', options };
	const read = (index: number) => {
		log.push(`read ${index}`);
		onRead?.(index);
		return values[index];
	};
	const context = {
		getNode: () => ({ ...someNode, parameters }),
		getInputData: () => values.map(() => ({ json: {} })),
		getNodeParameter: (name: keyof typeof parameters, index: number) =>
			name === 'value' ? read(index) : parameters[name],
		getMode: () => 'manual',
		getExecutionId: () => 'e1',
		getContext: () => store,
		getWorkflowDataProxy: () => ({ $execution: {} }),
		getExecutionCancelSignal: () => signal,
		getCredentials: async () =>
			await Promise.resolve({ baseUrl: 'https://gateway.test/api/v1', apiKey: 'k' }),
		isToolExecution: () => false,
		continueOnFail: () => continues,
	};
	return await executeRegistry(context as unknown as IExecuteFunctions, registry).then(
		() => undefined,
		({ message }: Error) => message,
	);
}

const EMPTY = "'Value' is empty";
/** Two of them are still kept until their turn comes, three are not. */
const LARGE = 'x'.repeat(14 * 1024 * 1024);

it.each<[string, string[], Run, log: string[], error: string | undefined]>([
	['in their order', ['a', 'b'], {}, ['read 0', 'read 1', 'send 0', 'send 1'], undefined],
	['until one is invalid', ['a', '', 'c'], {}, ['read 0', 'read 1'], EMPTY],
	[
		'also after an invalid one, with On Error: Continue',
		['', 'b'],
		{ continues: true },
		['read 0', 'read 1', 'send 1'],
		undefined,
	],
	[
		'and the one again whose values are too large to be kept, when its turn comes',
		[LARGE, LARGE, LARGE],
		{},
		['read 0', 'read 1', 'read 2', 'send 0', 'send 1', 'read 2', 'send 2'],
		undefined,
	],
])('items are read before the first is sent: %s', async (_, values, options, expected, error) => {
	expect(await runFor(values, options)).toBe(error);
	expect(log).toStrictEqual(expected);
});

it('an item that has succeeded in an earlier try is neither read nor sent', async () => {
	const store = {};
	expect(await runFor(['a', 'refused', 'c'], { store })).toBe('refused');
	log = [];
	expect(await runFor(['a', 'b', 'c'], { store })).toBeUndefined();
	expect(log).toStrictEqual(['read 1', 'read 2', 'send 1', 'send 2']);
});

describe('a cancel while items are read', () => {
	it('ends the reading', async () => {
		const controller = new AbortController();
		const onRead = (index: number) => index === 1 && controller.abort();
		const error = await runFor(['a', 'b', 'c'], { signal: controller.signal, onRead });
		expect(error).toBe('The execution was cancelled');
		expect(log).toStrictEqual(['read 0', 'read 1']);
	});
});
