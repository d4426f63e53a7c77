import { HumanMessage } from '@langchain/core/messages';
import nock from 'nock';
import type { INodeParameters, INodeProperties } from 'n8n-workflow';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { useNock } from '../../helpers/nock';
import { supplied } from './supplied';
import { whole } from './support';

// Options of the node and of a call in the request.

useNock();

const go = [new HumanMessage('Go')];

interface FormatCase {
	path: string;
	response: string;
	/** The body without options. */
	bare: JsonObject;
	/** Options with their values, in the order of the panel. */
	options: INodeParameters;
	/** The same options in the body. */
	wire: JsonObject;
}

const formats: Record<string, FormatCase> = {
	chat: {
		path: '/api/v1/chat/completions',
		response: whole({ content: 'Hi' }),
		bare: { model: 'acme/writer', messages: [{ role: 'user', content: 'Go' }] },
		options: {
			// Changes long prompts only.
			cachePrompt: true,
			maxTokens: 12,
			providerRouting: {
				values: {
					providerAllowFallbacks: false,
					providerIgnore: ['c'],
					providerOnly: ['b'],
					providerOrder: ['a', 'b'],
					providerSort: 'price',
				},
			},
			reasoning: { values: { reasoningExclude: true, reasoningMaxTokens: 9, reasoningSummary: 'auto' } },
			reasoningEffort: 'high',
			sampling: {
				values: {
					frequencyPenalty: 0.1,
					presencePenalty: -0.2,
					seed: -2,
					stop: ['END'],
					topK: 5,
					topP: 0.9,
				},
			},
			temperature: 0,
			webSearch: 'low',
		},
		wire: {
			frequency_penalty: 0.1,
			max_tokens: 12,
			presence_penalty: -0.2,
			provider: {
				allow_fallbacks: false,
				ignore: ['c'],
				only: ['b'],
				order: ['a', 'b'],
				sort: 'price',
			},
			reasoning: { effort: 'high', exclude: true, max_tokens: 9, summary: 'auto' },
			seed: -2,
			stop: ['END'],
			temperature: 0,
			top_k: 5,
			top_p: 0.9,
			web_search_options: { search_context_size: 'low' },
		},
	},
	responses: {
		path: '/api/v1/responses',
		response: JSON.stringify({ id: 'r', status: 'completed', output: [{ type: 'message' }] }),
		bare: { model: 'acme/writer', input: 'Go' },
		options: {
			builtIn: { values: { builtInTools: '[{"type":"code_interpreter"}]', maxToolCalls: 3 } },
			context: { values: { store: false, truncation: 'auto' } },
			maxTokens: 12,
			reasoning: { values: { reasoningMaxTokens: 7, reasoningSummary: 'detailed' } },
			reasoningEffort: 'none',
			sampling: { values: { topP: 0 } },
			serviceTier: 'flex',
			temperature: 0.5,
			verbosity: 'high',
			webSearch: 'high',
		},
		wire: {
			max_output_tokens: 12,
			max_tool_calls: 3,
			reasoning: { effort: 'none', max_tokens: 7, summary: 'detailed' },
			service_tier: 'flex',
			store: false,
			temperature: 0.5,
			text: { verbosity: 'high' },
			tools: [{ type: 'code_interpreter' }, { type: 'web_search' }],
			top_p: 0,
			truncation: 'auto',
		},
	},
	messages: {
		path: '/api/v1/messages',
		response: JSON.stringify({ id: 'm', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }),
		bare: { model: 'acme/writer', max_tokens: 4096, messages: [{ role: 'user', content: 'Go' }] },
		options: {
			maxTokens: 1,
			sampling: { values: { stop: ['END', 'STOP'], topK: 5, topP: 0.5 } },
			temperature: 2,
			thinking: '{ "type": "adaptive" }',
		},
		wire: {
			max_tokens: 1,
			stop_sequences: ['END', 'STOP'],
			temperature: 2,
			thinking: { type: 'adaptive' },
			top_k: 5,
			top_p: 0.5,
		},
	},
};

interface HttpRequest {
	body: JsonObject;
	headers: Record<string, string>;
}

async function sent(format: string, options: INodeParameters, call: object = {}): Promise<HttpRequest[]> {
	const { path = '', response } = formats[format] ?? {};
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

describe.each(Object.entries(formats))('%s', (format, { bare, options, wire }) => {
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
	const bare = formats.chat?.bare;

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
				...formats.chat?.bare,
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
