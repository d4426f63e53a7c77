import nock from 'nock';

import chatResponse from '../fixtures/chat/plain.json';
import { runNode, type RunOptions } from './engine';
import { locator } from './values';

// A gateway whose text model repeats each prompt, and a node that sends one prompt for each item.

const GATEWAY = 'https://gateway.test';
const PATH = '/api/v1/chat/completions';

/** The response to a prompt; by default the prompt, at once. */
interface ResponsePlan {
	status?: number;
	body?: unknown;
	delayMs?: number;
	/** Responds when this has settled. */
	after?: Promise<unknown>;
	headers?: Record<string, string>;
}

/** Responds to each prompt as planned, and records the prompts. */
export function echoGateway(plan: (prompt: string, call: number) => ResponsePlan = () => ({})) {
	const prompts: string[] = [];
	const load = { now: 0, most: 0 };
	nock(GATEWAY)
		.persist()
		.post(PATH)
		.reply(function (_uri, body, callback) {
			const prompt = (body as { messages: Array<{ content: string }> }).messages[0]?.content ?? '';
			prompts.push(prompt);
			load.now += 1;
			load.most = Math.max(load.most, load.now);
			const call = prompts.filter((seen) => seen === prompt).length;
			const { status = 200, body: response = echo(prompt), ...rest } = plan(prompt, call);
			const { delayMs = 0, after = Promise.resolve(), headers = {} } = rest;
			const respond = () => {
				load.now -= 1;
				callback(null, [status, response as nock.Body, headers]);
			};
			void after.then(() => setTimeout(respond, delayMs).unref());
		});
	const times = () => {
		const counts: Record<string, number> = {};
		for (const prompt of [...prompts].sort()) counts[prompt] = (counts[prompt] ?? 0) + 1;
		return counts;
	};
	return { load, prompts: () => [...prompts], times };
}

function echo(prompt: string) {
	return {
		...chatResponse,
		choices: [{ ...chatResponse.choices[0], message: { role: 'assistant', content: `echo ${prompt}` } }],
	};
}

/** An error response of the gateway that asks for no pause. */
export const errorResponse = (status: number, code: string) => ({
	status,
	body: { error: { message: 'server words', type: 'invalid_request_error', param: null, code } },
	headers: { 'retry-after': '0' },
});

/** Items whose texts are p0, p1, … */
export const items = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ json: { n: index, text: `p${index}` } }));

type GenerateOptions = Partial<RunOptions> & { options?: object; prompt?: string };

/** A node that sends the text of each item as a prompt. */
export const generating = ({ options, prompt = '={{ $json.text }}', ...extra }: GenerateOptions = {}) =>
	({
		node: 'textGeneration',
		...extra,
		parameters: {
			resource: 'text',
			operation: 'generate',
			model: locator('m'),
			prompt,
			options: { ...options },
		},
	}) satisfies RunOptions;

export const generate = async (options: GenerateOptions = {}) => await runNode(generating(options));
