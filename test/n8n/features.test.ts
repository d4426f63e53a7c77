import type { IExecuteFunctions } from 'n8n-workflow';

import type { Usage } from '../../nodes/shared/gateway/text/formats/completion';
import {
	addHint,
	addTokenUsage,
	isBinaryValue,
	isStreaming,
	isTool,
	sleepUnlessAborted,
} from '../../nodes/shared/n8n/features';

// The functions of a context that an older n8n does not have.

const contextOf = (functions: object) => functions as unknown as IExecuteFunctions;
const sendResponse = () => undefined;
const sendChunk = () => undefined;

it.each<[object, string, boolean]>([
	[{ isToolExecution: () => true, sendResponse }, 'storage', true],
	[{ isToolExecution: () => false }, 'storage', false],
	[{ isToolExecution: () => false }, 'storageTool', true],
	[{ sendResponse }, 'storage', false],
	[{}, 'storage', true],
])('a context with %j of a node %s is an agent’s tool: %s', (functions, type, expected) =>
	expect(isTool(contextOf({ ...functions, getNode: () => ({ type }) }))).toBe(expected),
);

it.each<[object, boolean]>([
	[{ isStreaming: () => true, sendChunk }, true],
	[{ isStreaming: () => false, sendChunk }, false],
	[{ isStreaming: () => true }, false],
	[{ sendChunk }, false],
	[{}, false],
])('a context with %j streams: %s', (functions, streams) =>
	expect(isStreaming(contextOf(functions))).toBe(streams),
);

it('the functions are called as those of the context', () => {
	const context = contextOf({
		answer: true,
		isToolExecution(this: { answer: boolean }) {
			return this.answer;
		},
	});
	expect(isTool(context)).toBe(true);
});

it('a hint is shown with the output, and dropped where the context has none', () => {
	const hints: unknown[] = [];
	addHint(contextOf({ addExecutionHints: (hint: unknown) => hints.push(hint) }), 'Look');
	addHint(contextOf({}), 'Look');
	expect(hints).toStrictEqual([{ message: 'Look', location: 'outputPane' }]);
});

it.each<[object, boolean]>([
	[{ mimeType: 'image/png', data: 'QQ==' }, true],
	[{ mimeType: 'image/png', id: 'filesystem-v2:1' }, true],
	[{ mimeType: 'image/png' }, false],
	[{ mimeType: 'image/png', data: 7 }, false],
	[{ data: 'QQ==' }, false],
	[[], false],
])('%j is a file of n8n: %s', (value, isFile) => expect(isBinaryValue(value)).toBe(isFile));

it('a pause ends with its signal', async () => {
	const over = new AbortController();
	const pause = sleepUnlessAborted(60_000, over.signal);
	over.abort();
	await expect(pause).rejects.toThrow();
});

/** The tokens that n8n records after these requests; undefined when none were recorded. */
function recorded(record: typeof addTokenUsage, calls: Array<[number | null, number | null]>): unknown {
	let metadata: object = {};
	const context = {
		getExecuteData: () => ({ metadata }),
		setMetadata: (more: object) => (metadata = { ...metadata, ...more }),
	} as unknown as IExecuteFunctions;
	for (const [inputTokens, outputTokens] of calls) record(context, { inputTokens, outputTokens } as Usage);
	return (metadata as { tokenUsage?: unknown }).tokenUsage;
}

it.each<[Array<[number | null, number | null]>, unknown]>([
	[[[3, null]], { inputTokens: 3, outputTokens: 0 }],
	[[[null, 4]], { inputTokens: 0, outputTokens: 4 }],
	[[[0, 0]], { inputTokens: 0, outputTokens: 0 }],
	[[[null, null]], undefined],
	[
		[
			[3, 4],
			[null, null],
			[10, 20],
		],
		{ inputTokens: 13, outputTokens: 24 },
	],
])('requests of %j tokens are recorded as %j in the execution', (calls, usage) => {
	expect(recorded(addTokenUsage, calls)).toStrictEqual(usage);
});

it('an n8n that cannot count tokens returns the response', () => {
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => ({}));
		const path = '../../nodes/shared/n8n/features';
		const older = jest.requireActual<{ addTokenUsage: typeof addTokenUsage }>(path);
		expect(recorded(older.addTokenUsage, [[3, 4]])).toBeUndefined();
	});
});
