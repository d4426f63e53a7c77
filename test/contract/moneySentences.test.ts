import type { ErrorCode } from '../../sandbox/gateway/errors';
import type { RunResult } from '../helpers/engine';
import { locator, useGateway } from './support';

// What the last sentence of an error says of the money.

const gateway = useGateway();

const options = { maxRetries: 1 };
const binary = { data: { data: 'eA==', mimeType: 'image/png', fileName: 'x.png' } };
const WITH_FILE = {
	model: locator('aurora/retouch-1'),
	inputMode: 'json',
	inputJson: '{ "prompt": "x" }',
	inputFiles: { files: [{ binaryPropertyName: 'data', inputField: 'image_urls' }] },
	options,
};

const CALLS: Record<string, (more?: object) => Promise<RunResult>> = {
	chat: async (more) => await gateway.generate({ options, ...more }),
	messages: async (more) => await gateway.generate({ format: 'messages', options, ...more }),
	task: async (more) => await gateway.draw({ options, ...more }),
	upload: async () => await gateway.media('create', WITH_FILE, { items: [{ json: {}, binary }] }),
};

const lastSentence = (error: RunResult['error']) => {
	const { description } = error as { description?: string };
	return description?.split(/(?<=[.:”]) (?=[A-Z])/).at(-1);
};
const FREE = 'Nothing was charged.';
const UNKNOWN = /^The task may have been created and charged anyway\. .* creates another one, unless/;
const MAYBE = /^The call was not repeated, because it may have been charged/;

test.each<[ErrorCode, string, string | RegExp]>([
	['unauthorized', 'chat', FREE],
	['unauthorized', 'messages', FREE],
	['unauthorized', 'task', FREE],
	['unauthorized', 'upload', FREE],
	['insufficient_quota', 'messages', FREE],
	['client_closed_request', 'chat', MAYBE],
	['client_closed_request', 'task', UNKNOWN],
	['client_closed_request', 'upload', FREE],
	['internal_error', 'chat', FREE],
	['internal_error', 'task', UNKNOWN],
	['internal_error', 'upload', FREE],
	['service_unavailable', 'chat', FREE],
	['service_unavailable', 'task', FREE],
	['service_unavailable', 'upload', FREE],
])('after %s, of the call: %s', async (code, call, sentence) => {
	gateway.control.addFault({ match: { method: 'POST' }, action: { kind: 'error', code }, times: 0 });
	const { error } = (await CALLS[call]?.()) ?? {};
	expect(lastSentence(error)).toMatch(sentence);
	expect(gateway.charges()).toBe(0);
});

test.each(['chat', 'messages', 'task'])('of an unknown model: %s', async (call) => {
	const { error } = (await CALLS[call]?.({ model: locator('no/such') })) ?? {};
	expect(lastSentence(error)).toBe(FREE);
});

test.each(['chat', 'messages'])('of too long a prompt: %s', async (call) => {
	const { error } = (await CALLS[call]?.({ prompt: 'word '.repeat(400_000) })) ?? {};
	expect(lastSentence(error)).toBe(FREE);
});

it('of a failed task, whose charge nobody knows', async () => {
	const { error } = await gateway.draw({ inputJson: '{ "prompt": "[[fail]]" }' });
	expect(lastSentence(error)).toBe('It may have been charged: check the balance.');
});
