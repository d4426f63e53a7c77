import { patchAdapter as patch } from '../../../nodes/ChatModel/adapter';
import type { Adapter, Generation } from '../../../nodes/ChatModel/adapter/types';

const patchAdapter = <A>(adapter: A): A => patch(adapter, { warn: () => undefined });

// Reading structured output, with an SDK model that only pipes.

type Read = (message: Generation['message']) => Promise<unknown>;

/** The reader of a message, and the bound tools. */
function readerOf(schema: unknown, settings?: { name?: string; includeRaw?: boolean }) {
	const bound: unknown[] = [];
	const adapter = patchAdapter<Adapter>({
		withStructuredOutput: () => 'own',
		bindTools: (tools) => {
			bound.push(...tools);
			return { pipe: (next) => next };
		},
	});
	return { read: adapter.withStructuredOutput?.(schema, settings) as Read, bound };
}

const called = { tool_calls: [{ name: 'extract', args: { a: null } }] };
const checking = { parseAsync: async (value: unknown) => await Promise.resolve({ checked: value }) };

it.each<[string, unknown, unknown]>([
	['null', null, { a: null }],
	['a text', 'schema', { a: null }],
	['nothing', undefined, { a: null }],
	['a schema that checks nothing', { type: 'object' }, { a: null }],
	['a schema that checks values', checking, { checked: { a: null } }],
])('with %s as a schema is the arguments of the tool call', async (_, schema, value) => {
	const { read, bound } = readerOf(schema);
	expect(await read(called)).toStrictEqual(value);
	expect(bound).toStrictEqual([{ name: 'extract', description: expect.any(String) as string, schema }]);
});

it.each<[string, Generation['message']]>([
	['no message', undefined],
	['a message without calls', { content: 'Hi' }],
	['a call of another tool', { tool_calls: [{ name: 'other', args: {} }] }],
])('with %s is an error that names the function', async (_, message) =>
	expect(
		await readerOf({})
			.read(message)
			.catch((error: unknown) => error),
	).toMatchObject({
		message: expect.stringContaining('"extract"') as string,
	}),
);

it('with includeRaw is null when the message cannot be parsed', async () => {
	const { read } = readerOf(checking, { includeRaw: true });
	expect(await read(called)).toStrictEqual({ raw: called, parsed: { checked: { a: null } } });
	expect(await read({ content: 'Hi' })).toStrictEqual({ raw: { content: 'Hi' }, parsed: null });
});
