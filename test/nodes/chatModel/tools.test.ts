import { HumanMessage } from '@langchain/core/messages';
import { z } from 'zod';
import { z as zodOfAnotherVersion } from 'zod/v4';

import { callOf, modelWith, streamOf, whole } from './support';

const go = [new HumanMessage('Go')];
const tool = (schema: unknown) => ({ name: 'search', description: 'Searches', schema, invoke: () => '' });

async function sentParameters(schema: unknown): Promise<unknown> {
	const { lc, asked } = modelWith(whole({ content: 'Hi' }));
	await lc.bindTools([tool(schema)]).invoke(go);
	const [sent] = asked()[0]?.tools as Array<{ function: { parameters: unknown } }>;
	return sent?.function.parameters;
}

describe('the input of a tool', () => {
	const wanted = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };

	it('written with n8n’s zod', async () =>
		expect(await sentParameters(z.object({ q: z.string() }))).toMatchObject(wanted));

	it('written as JSON Schema', async () => expect(await sentParameters(wanted)).toStrictEqual(wanted));

	it('written with a zod that describes itself', async () => {
		const foreign = { '~standard': {}, safeParse: () => undefined, toJSONSchema: () => wanted };
		expect(await sentParameters(foreign)).toStrictEqual(wanted);
	});

	it('written with a zod that does not is refused before anything is sent', async () => {
		const { lc, asked } = modelWith(whole({ content: 'Hi' }));
		const foreign = tool(zodOfAnotherVersion.object({ q: zodOfAnotherVersion.string() }));
		await expect(lc.bindTools([foreign]).invoke(go)).rejects.toMatchObject({
			name: 'InvalidInput',
			message: 'The Gateway Chat Model cannot read what the tool "search" takes',
		});
		expect(asked()).toStrictEqual([]);
	});
});

it('what was hung onto the model is on the model with tools, too', () => {
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
	const answer = (name: string, args = '{"city":"Omsk"}') =>
		whole({ content: null, tool_calls: [callOf('a', name, args)] }, 'tool_calls');

	it('is a call that the model must make, read as the schema says', async () => {
		const { lc, asked } = modelWith(answer('extract'));
		expect(await lc.withStructuredOutput(schema).invoke(go)).toStrictEqual({ city: 'Omsk', unit: '°C' });
		expect(asked()).toMatchObject([
			{
				tool_choice: { type: 'function', function: { name: 'extract' } },
				tools: [{ function: { name: 'extract', parameters: { properties: { city: { type: 'string' } } } } }],
			},
		]);
	});

	it('has the name and the schema that are given', async () => {
		const { lc, asked } = modelWith(answer('weather'));
		const json = { type: 'object', properties: { city: { type: 'string' } } };
		expect(await lc.withStructuredOutput(json, { name: 'weather' }).invoke(go)).toStrictEqual({
			city: 'Omsk',
		});
		expect(asked()).toMatchObject([{ tools: [{ function: { name: 'weather', parameters: json } }] }]);
	});

	it('may be given as a function', async () => {
		const { lc, asked } = modelWith(answer('weather'));
		const parameters = { type: 'object', properties: { city: { type: 'string' } } };
		const given = { name: 'weather', description: 'Tells it', parameters };
		expect(await lc.withStructuredOutput(given).invoke(go)).toStrictEqual({ city: 'Omsk' });
		expect(asked()).toMatchObject([{ tools: [{ function: given }] }]);
	});

	it('is read from a stream', async () => {
		const { lc } = modelWith(streamOf({ tool_calls: [callOf('a', 'extract', '{"city":"Omsk"}')] }));
		const pieces: unknown[] = [];
		for await (const piece of await lc.withStructuredOutput(schema).stream(go)) pieces.push(piece);
		expect(pieces).toStrictEqual([{ city: 'Omsk', unit: '°C' }]);
	});

	it('that is not given, or not as wanted, is an error', async () => {
		const said = modelWith(whole({ content: 'Omsk' })).lc.withStructuredOutput(schema);
		await expect(said.invoke(go)).rejects.toThrow('it did not call "extract"');
		const wrong = modelWith(answer('extract', '{"city":5}')).lc.withStructuredOutput(schema);
		await expect(wrong.invoke(go)).rejects.toThrow(/expected.*string/is);
	});

	it('comes beside the message when that is wanted, also when it cannot be read', async () => {
		const good = modelWith(answer('extract')).lc.withStructuredOutput(schema, { includeRaw: true });
		expect(await good.invoke(go)).toMatchObject({
			raw: { tool_calls: [{ name: 'extract' }] },
			parsed: { city: 'Omsk' },
		});
		const bad = modelWith(whole({ content: 'Omsk' })).lc.withStructuredOutput(schema, { includeRaw: true });
		expect(await bad.invoke(go)).toMatchObject({ raw: { content: 'Omsk' }, parsed: null });
	});
});
