import type { IExecuteFunctions } from 'n8n-workflow';

import { isBinaryValue, isStreaming, isTool } from '../../nodes/shared/n8n/features';

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

it.each<[object, boolean]>([
	[{ mimeType: 'image/png', data: 'QQ==' }, true],
	[{ mimeType: 'image/png', id: 'filesystem-v2:1' }, true],
	[{ mimeType: 'image/png' }, false],
	[{ mimeType: 'image/png', data: 7 }, false],
	[{ data: 'QQ==' }, false],
	[[], false],
])('%j is a file of n8n: %s', (value, isFile) => expect(isBinaryValue(value)).toBe(isFile));
