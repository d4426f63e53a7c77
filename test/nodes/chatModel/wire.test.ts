import { HumanMessage } from '@langchain/core/messages';
import nock from 'nock';
import type { INodeParameters, INodeProperties, NodeParameterValueType } from 'n8n-workflow';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { textOptions, type TextOption } from '../../../nodes/shared/gateway/text/formats/options';
import { deepMerge, type Json, type JsonObject } from '../../../nodes/shared/gateway/util/json';
import { optionRows } from '../../fixtures/spec/textOptions';
import { useNock } from '../../helpers/nock';
import { supplied } from './supplied';
import { whole } from './support';

// Options of the node and of a call in the request.

useNock();

const go = [new HumanMessage('Go')];

/** Options that an agent has no use for. */
const LEFT_OUT =
	/^(n|modalities|audioVoice|audioFormat|imageConfigQuality|imageConfigSize|previousResponseId)$/;
const JSON_VALUES: Record<string, JsonObject | JsonObject[]> = {
	thinking: { type: 'adaptive' },
	builtInTools: [{ type: 'code_interpreter' }],
};

/** A value of an option; not the one that it has when it is added. */
function valueOf(name: string, kind: string): NodeParameterValueType {
	const { initial, choices = [] }: Partial<TextOption> =
		(textOptions as Readonly<Record<string, TextOption>>)[name] ?? {};
	if (kind === 'integer') return 7;
	if (kind === 'number') return 0.5;
	if (kind === 'boolean') return initial !== true;
	if (kind === 'texts') return ['one', 'two'];
	return choices.findLast(({ value }) => value !== initial)?.value ?? 'some';
}

/** All options of a format in the panel, and in the body. */
function allOptions(format: keyof typeof optionRows) {
	const options: INodeParameters = format === 'chat' ? { cachePrompt: true } : {};
	let wire: JsonObject = {};
	for (const [name, path, kind] of optionRows[format].filter(([one]) => !LEFT_OUT.test(one))) {
		const json = JSON_VALUES[name];
		const value = json ? JSON.stringify(json) : valueOf(name, kind);
		const { group } = (textOptions as Readonly<Record<string, TextOption>>)[name] ?? {};
		const { values = {} } = (options[group ?? ''] ?? {}) as { values?: INodeParameters };
		if (group === undefined) options[name] = value;
		else options[group] = { values: { ...values, [name]: value } };
		const field = path.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), json ?? value);
		wire = deepMerge(wire, field as JsonObject);
	}
	if (format === 'responses') wire.tools = [...(JSON_VALUES.builtInTools as Json[]), { type: 'web_search' }];
	return { options, wire };
}

interface FormatCase {
	path: string;
	response: string;
	/** The body without options. */
	bare: JsonObject;
}

const formats: Record<keyof typeof optionRows, FormatCase> = {
	chat: {
		path: '/api/v1/chat/completions',
		response: whole({ content: 'Hi' }),
		bare: { model: 'acme/writer', messages: [{ role: 'user', content: 'Go' }] },
	},
	responses: {
		path: '/api/v1/responses',
		response: JSON.stringify({ id: 'r', status: 'completed', output: [{ type: 'message' }] }),
		bare: { model: 'acme/writer', input: 'Go' },
	},
	messages: {
		path: '/api/v1/messages',
		response: JSON.stringify({ id: 'm', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }),
		bare: { model: 'acme/writer', max_tokens: 4096, messages: [{ role: 'user', content: 'Go' }] },
	},
};
type FormatName = keyof typeof formats;

interface HttpRequest {
	body: JsonObject;
	headers: Record<string, string>;
}

async function sent(format: FormatName, options: INodeParameters, call: object = {}): Promise<HttpRequest[]> {
	const { path, response } = formats[format];
	const exchanges: HttpRequest[] = [];
	nock('https://gateway.test')
		.post(path)
		.reply(function (_, body) {
			exchanges.push({ body: body as JsonObject, headers: this.req.headers });
			return [200, response, { 'Content-Type': 'application/json' }];
		});
	const { lc, close } = await supplied({ parameters: { format }, options });
	await lc.invoke(go, call);
	await close();
	return exchanges;
}

const sentBodies = async (...request: Parameters<typeof sent>) =>
	(await sent(...request)).map(({ body }) => body);

describe.each(Object.keys(formats) as FormatName[])('%s', (format) => {
	const { bare } = formats[format];
	const { options, wire } = allOptions(format);

	it('sends only the prompt when no option is set', async () =>
		expect(await sentBodies(format, {})).toStrictEqual([bare]));

	it('sends each option in its field', async () =>
		expect(await sentBodies(format, options)).toStrictEqual([{ ...bare, ...wire }]));

	it('has these options and those of the request in the panel, by name', () => {
		const [panel] = new ChatModel().description.properties.filter(({ name }) => name === 'options');
		const shown = (panel?.options as INodeProperties[]).filter(({ displayOptions }) => {
			const [names] = Object.values(displayOptions?.show ?? {});
			return names?.includes(format) ?? true;
		});
		const names = shown.map(({ name }) => name);
		const ofRequest = [
			'extraBody',
			'fallbackModels',
			'maxCostRub',
			'maxRetries',
			'rateLimitWait',
			'showToolMedia',
			'timeout',
			'toolChoice',
		];
		expect(names.filter((name) => !ofRequest.includes(name)).sort()).toStrictEqual(
			Object.keys(options).sort(),
		);
		expect(names).toHaveLength(Object.keys(options).length + ofRequest.length);
		const labels = shown.map(({ displayName }) => displayName);
		expect(labels).toStrictEqual([...labels].sort((a, b) => a.localeCompare(b)));
	});
});

it('does not mention a raw output, which an agent does not have', () => {
	const [panel] = new ChatModel().description.properties.filter(({ name }) => name === 'options');
	const descriptions = (panel?.options as INodeProperties[]).map(({ description = '' }) => description);
	expect(descriptions.filter((text) => /simplify|raw output/i.test(text))).toStrictEqual([]);
});

describe('options of a call', () => {
	const bare = formats.chat.bare;

	it.each<[string, object, object, object]>([
		[
			'may have stop sequences',
			{ sampling: { values: { stop: ['A'], topK: 2 } } },
			{ stop: ['B'] },
			{ stop: ['B'], top_k: 2 },
		],
		[
			'keep the node’s stop sequences when they have none',
			{ sampling: { values: { stop: ['A'] } } },
			{ stop: [] },
			{ stop: ['A'] },
		],
		['of other kinds are not sent', {}, { timeout: 5_000, metadata: { a: 1 }, temperature: 1 }, {}],
	])('%s', async (_, options, call, fields) =>
		expect(await sentBodies('chat', options as INodeParameters, call)).toStrictEqual([
			{ ...bare, ...fields },
		]),
	);
});

describe('the extra body', () => {
	it('is merged into the request last, with null and nested objects', async () => {
		const extraBody = '{"temperature":1,"reasoning":{"summary":null,"more":{"x":null}},"cache":null}';
		const bodies = await sentBodies('chat', { temperature: 0.5, reasoningEffort: 'low', extraBody });
		expect(bodies).toStrictEqual([
			{
				...formats.chat.bare,
				temperature: 1,
				reasoning: { effort: 'low', summary: null, more: { x: null } },
				cache: null,
			},
		]);
	});
});

it('sends the key in the header of the credential, and nowhere else', async () => {
	const [exchange] = await sent('chat', {});
	expect(exchange?.headers).toMatchObject({
		authorization: 'Bearer sk-test',
		'content-type': 'application/json',
	});
	expect(JSON.stringify(exchange?.body)).not.toContain('sk-test');
});

it('sends the version that the Messages format requires', async () => {
	const [exchange] = await sent('messages', {});
	expect(Object.values(exchange?.headers ?? {})).toContain('2023-06-01');
});
