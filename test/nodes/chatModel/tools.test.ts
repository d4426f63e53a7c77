import { HumanMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { z as zodOfAnotherVersion } from 'zod/v4';

import { toToolDefinitions } from '../../../nodes/ChatModel/sdk';
import { callOf, modelWith, streamOf, whole } from './support';

const go = [new HumanMessage('Go')];
const tool = (schema: unknown) => ({ name: 'search', description: 'Searches', schema, invoke: () => '' });

async function sentParameters(schema: unknown): Promise<unknown> {
	const { lc, requests } = modelWith(whole({ content: 'Hi' }));
	await lc.bindTools([tool(schema)]).invoke(go);
	const [sent] = requests()[0]?.tools as Array<{ function: { parameters: unknown } }>;
	return sent?.function.parameters;
}

describe('the input of a tool', () => {
	const wanted = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };

	it('written with n8n’s zod', async () =>
		expect(await sentParameters(z.object({ q: z.string() }))).toMatchObject(wanted));

	it('written as JSON Schema', async () => expect(await sentParameters(wanted)).toStrictEqual(wanted));

	it('written with a zod that converts itself to JSON Schema', async () => {
		const foreign = { '~standard': {}, safeParse: () => undefined, toJSONSchema: () => wanted };
		expect(await sentParameters(foreign)).toStrictEqual(wanted);
	});

	it('written with a zod that does not is rejected before anything is sent', async () => {
		const { lc, requests } = modelWith(whole({ content: 'Hi' }));
		const foreign = tool(zodOfAnotherVersion.object({ q: zodOfAnotherVersion.string() }));
		await expect(lc.bindTools([foreign]).invoke(go)).rejects.toMatchObject({
			name: 'InvalidInputError',
			message: 'The Gateway Chat Model cannot read what the tool "search" takes',
		});
		expect(requests()).toStrictEqual([]);
	});
});

describe('the definition of a tool', () => {
	const made = (more: object, schema: unknown = {}) =>
		toToolDefinitions([{ type: 'function', name: 't', inputSchema: {}, ...more }], () => schema as object);

	it.each([
		['an old zod', { safeParse: (): void => undefined }],
		['another schema library', { '~standard': {} }],
		['a schema that cannot be converted', { safeParse: (): void => undefined, toJSONSchema: 'no function' }],
	])('written with %s is rejected', (_, schema) =>
		expect(() => made({}, schema)).toThrow('cannot read what the tool "t" takes'),
	);
});

it('the model with tools keeps the callbacks and metadata of the model', () => {
	const { lc } = modelWith(whole({ content: 'Hi' }));
	const selector = { name: 'selector' };
	lc.callbacks = [...lc.callbacks, selector];
	lc.metadata = { sourceNodeName: 'Model' };
	const bound = lc.bindTools([]);
	expect(bound.callbacks).toStrictEqual(lc.callbacks);
	expect(bound.metadata).toStrictEqual({ sourceNodeName: 'Model' });
});

describe('structured output', () => {
	const schema = z.object({ city: z.string(), unit: z.string().default('°C') });
	const response = (name: string, args = '{"city":"Omsk"}') =>
		whole({ content: null, tool_calls: [callOf('a', name, args)] }, 'tool_calls');

	it('is a required tool call, parsed by the schema', async () => {
		const { lc, requests } = modelWith(response('extract'));
		expect(await lc.withStructuredOutput(schema).invoke(go)).toStrictEqual({ city: 'Omsk', unit: '°C' });
		expect(requests()).toMatchObject([
			{
				tool_choice: { type: 'function', function: { name: 'extract' } },
				tools: [{ function: { name: 'extract', parameters: { properties: { city: { type: 'string' } } } } }],
			},
		]);
	});

	const json = { type: 'object', properties: { city: { type: 'string' } } };
	const weather = { name: 'weather', description: 'The weather', parameters: json };
	const described = { ...json, name: 'other', description: 'The weather' };
	const anyText = expect.stringMatching(/./) as string;

	it.each<[string, unknown, object, object]>([
		[
			'has the given name',
			json,
			{ name: 'weather' },
			{ name: 'weather', description: anyText, parameters: json },
		],
		['may be a function', weather, {}, weather],
		[
			'has the description of its schema',
			described,
			{ name: 'weather' },
			{ ...weather, parameters: described },
		],
	])('%s', async (_, given, settings, sent) => {
		const { lc, requests } = modelWith(response('name' in sent ? String(sent.name) : ''));
		expect(await lc.withStructuredOutput(given, settings).invoke(go)).toStrictEqual({ city: 'Omsk' });
		expect(requests()).toMatchObject([{ tools: [{ function: sent }] }]);
	});

	it('is read from a stream', async () => {
		const { lc } = modelWith(streamOf({ tool_calls: [callOf('a', 'extract', '{"city":"Omsk"}')] }));
		const chunks: unknown[] = [];
		for await (const chunk of await lc.withStructuredOutput(schema).stream(go)) chunks.push(chunk);
		expect(chunks).toStrictEqual([{ city: 'Omsk', unit: '°C' }]);
	});

	it('is read from the call of its function among others, and keeps null', async () => {
		const calls = [callOf('a', 'other', '{}', 0), callOf('b', 'extract', '{"a":{"b":null}}', 1)];
		const { lc } = modelWith(whole({ content: 'Hm', tool_calls: calls }, 'tool_calls'));
		expect(await lc.withStructuredOutput({ type: 'object' }).invoke(go)).toStrictEqual({ a: { b: null } });
	});

	it('that is missing or does not fit the schema is an error', async () => {
		const said = modelWith(whole({ content: 'Omsk' })).lc.withStructuredOutput(schema);
		await expect(said.invoke(go)).rejects.toThrow('it did not call "extract"');
		const wrong = modelWith(response('extract', '{"city":5}')).lc.withStructuredOutput(schema);
		await expect(wrong.invoke(go)).rejects.toThrow(/expected.*string/is);
	});

	it('comes with the message when includeRaw is set, also when it cannot be parsed', async () => {
		const good = modelWith(response('extract')).lc.withStructuredOutput(schema, { includeRaw: true });
		expect(await good.invoke(go)).toMatchObject({
			raw: { tool_calls: [{ name: 'extract' }] },
			parsed: { city: 'Omsk' },
		});
		const bad = modelWith(whole({ content: 'Omsk' })).lc.withStructuredOutput(schema, { includeRaw: true });
		expect(await bad.invoke(go)).toMatchObject({ raw: { content: 'Omsk' }, parsed: null });
	});
});
