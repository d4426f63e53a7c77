import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { runNode, type RunOptions, type RunResult } from '../../helpers/engine';
import chatResponse from '../../fixtures/chat/plain.json';
import messagesResponse from '../../fixtures/messages/plain.json';
import responsesResponse from '../../fixtures/responses/plain.json';

/** The path of each format, and its response with the text "Hello there". */
export const endpoints: Record<string, { path: string; response: JsonObject }> = {
	chat: { path: '/api/v1/chat/completions', response: chatResponse },
	responses: { path: '/api/v1/responses', response: responsesResponse },
	messages: { path: '/api/v1/messages', response: messagesResponse },
};

export const gateway = () => nock('https://gateway.test');

/** Mocks one response of a format, and returns the request bodies. */
export function mockResponse(format: string, response?: JsonObject): JsonObject[] {
	const endpoint = endpoints[format];
	if (!endpoint) throw new Error(`there is no format ${format}`);
	const bodies: JsonObject[] = [];
	gateway()
		.post(endpoint.path, (body: JsonObject) => {
			bodies.push(body);
			return true;
		})
		.reply(200, response ?? endpoint.response);
	return bodies;
}

const defaults: INodeParameters = {
	resource: 'text',
	operation: 'generate',
	model: { __rl: true, mode: 'id', value: 'acme/writer' },
	prompt: 'Say hello',
};

/** Runs text: generate with these parameters beside a model and a prompt. */
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
