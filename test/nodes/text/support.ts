import nock from 'nock';
import type {
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	NodeParameterValueType,
} from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { gateway } from '../../helpers/media';
import { runNode, type RunOptions, type RunResult } from '../../helpers/engine';
import chatResponse from '../../fixtures/chat/plain.json';
import messagesResponse from '../../fixtures/messages/plain.json';
import responsesResponse from '../../fixtures/responses/plain.json';
import { collected } from '../../helpers/panel';
import { locator } from '../../helpers/values';

/** The path and the headers of each format, and its response with the text "Hello there". */
export const endpoints: Record<
	string,
	{ path: string; response: JsonObject; headers?: Record<string, string> }
> = {
	chat: { path: '/api/v1/chat/completions', response: chatResponse },
	responses: { path: '/api/v1/responses', response: responsesResponse },
	messages: {
		path: '/api/v1/messages',
		response: messagesResponse,
		headers: { 'anthropic-version': '2023-06-01' },
	},
};

/** Mocks one response of a format, and returns the request bodies. */
export function mockResponse(format: string, response?: JsonObject): JsonObject[] {
	const endpoint = endpoints[format];
	if (!endpoint) throw new Error(`there is no format ${format}`);
	const bodies: JsonObject[] = [];
	const reqheaders = { 'content-type': 'application/json', ...endpoint.headers };
	nock('https://gateway.test', { reqheaders })
		.post(endpoint.path, (body: JsonObject) => {
			bodies.push(body);
			return true;
		})
		.reply(200, response ?? endpoint.response);
	// For a cost that the response does not report.
	mockModels();
	return bodies;
}

/** Mocks the catalogues, without models. */
export function mockModels(): void {
	for (const path of ['models', 'media/models'])
		gateway().get(`/api/v1/${path}`).optionally().reply(200, { data: [] });
}

const defaults: INodeParameters = {
	resource: 'text',
	operation: 'generate',
	model: locator('acme/writer'),
	prompt: 'Say hello',
};

/** Runs text: generate with these parameters next to a model and a prompt. */
export async function generate(
	parameters: INodeParameters = {},
	extra: Omit<RunOptions, 'node' | 'parameters'> = {},
): Promise<RunResult> {
	return await runNode({ node: 'textGeneration', ...extra, parameters: { ...defaults, ...parameters } });
}

/** Sends one request with any response, and returns its body. */
export async function sentBody(
	parameters: INodeParameters,
	extra: Omit<RunOptions, 'node' | 'parameters'> = {},
): Promise<JsonObject> {
	const bodies = mockResponse(typeof parameters.format === 'string' ? parameters.format : 'chat');
	const { error } = await generate({ simplify: false, ...parameters }, extra);
	if (error) throw new Error(`${error.message}: ${error.description ?? ''}`);
	const [body] = bodies;
	if (!body) throw new Error('nothing was sent');
	return body;
}

/** The usage of {@link chatCompletion}. */
export const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12, cost_rub: 0.5, cost: 0.5 };

/** A response of the format Chat Completions with one choice. */
export const chatCompletion = (message: JsonObject, finish_reason = 'stop'): JsonObject => ({
	id: 'c1',
	model: 'acme/writer',
	choices: [{ index: 0, message, finish_reason }],
	usage,
});

/** A JSON schema, as text. */
export const schema = '{"type": "object", "properties": {"title": {"type": "string"}}}';

/** JSON output by {@link schema}. */
export const bySchema: INodeParameters = {
	outputFormat: 'jsonSchema',
	schemaName: 'book',
	jsonSchema: schema,
};

/** Messages in rows. */
export const rows = (...message: INodeParameters[]): INodeParameters => ({
	inputMode: 'messages',
	messages: { message },
});

/** Messages as JSON text. */
export const json = (messagesJson: string): INodeParameters => ({ inputMode: 'json', messagesJson });

/** A valid value of an option, as the panel stores it; not the one that it has when it is added. */
function sample(property: INodeProperties): NodeParameterValueType {
	const { type, options, typeOptions, default: initial } = property;
	if (type === 'collection') return samples(collected(property));
	if (type === 'options') {
		const values = options?.map((option) => String((option as INodePropertyOptions).value)) ?? [];
		return values.filter((value) => value !== initial).at(-1);
	}
	if (type === 'multiOptions')
		return options?.map((option) => String((option as INodePropertyOptions).value)) ?? [];
	if (type === 'number')
		return (typeOptions?.minValue ?? 0) + 0.5 * (typeOptions?.numberPrecision === 0 ? 2 : 1);
	if (type === 'boolean') return initial !== true;
	const text = typeof initial === 'string' ? initial : '';
	if (type === 'json') return text === '{}' ? '{"type": "a"}' : text.replace('[]', '[{"type": "a"}]');
	return typeOptions?.multipleValues ? ['one', 'two'] : 'some';
}

/** Values of options; for groups, of their fields. */
export function samples(properties: INodeProperties[]): INodeParameters {
	return Object.fromEntries(properties.map((property) => [property.name, sample(property)]));
}

/** Whether the panel shows an option in a format. */
export function isShown({ displayOptions }: INodeProperties, format: string): boolean {
	return displayOptions?.show?.['/format']?.includes(format) ?? true;
}
