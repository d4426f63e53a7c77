import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { runNode, type RunOptions, type RunResult } from '../../helpers/engine';
import chatAnswer from '../../fixtures/chat/plain.json';
import messagesAnswer from '../../fixtures/messages/plain.json';
import responsesAnswer from '../../fixtures/responses/plain.json';

/** The path of each format, and an answer of it that says "Hello there". */
export const endpoints: Record<string, { path: string; answer: JsonObject }> = {
	chat: { path: '/api/v1/chat/completions', answer: chatAnswer },
	responses: { path: '/api/v1/responses', answer: responsesAnswer },
	messages: { path: '/api/v1/messages', answer: messagesAnswer },
};

export const gateway = () => nock('https://gateway.test');

/** Lets the gateway answer one call of a format, and gives the bodies that were sent. */
export function answering(format: string, answer?: JsonObject): JsonObject[] {
	const endpoint = endpoints[format];
	if (!endpoint) throw new Error(`there is no format ${format}`);
	const bodies: JsonObject[] = [];
	gateway()
		.post(endpoint.path, (body: JsonObject) => {
			bodies.push(body);
			return true;
		})
		.reply(200, answer ?? endpoint.answer);
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

/** Sends one call and gives its body; whatever the answer is. */
export async function sentBody(
	parameters: INodeParameters,
	extra: Omit<RunOptions, 'node' | 'parameters'> = {},
): Promise<JsonObject> {
	const bodies = answering(typeof parameters.format === 'string' ? parameters.format : 'chat');
	const { error } = await generate({ simplify: false, ...parameters }, extra);
	if (error) throw new Error(`${error.message}: ${error.description ?? ''}`);
	const [body] = bodies;
	if (!body) throw new Error('nothing was sent');
	return body;
}
