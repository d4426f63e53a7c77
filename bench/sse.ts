import Anthropic from '@anthropic-ai/sdk';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';

import { textFormats } from '../nodes/shared/gateway/text/formats';
import type { TextFormat } from '../nodes/shared/gateway/text/formats/format';
import { asObject, parseJson, type JsonObject } from '../nodes/shared/gateway/util/json';
import { GatewayClient } from '../nodes/shared/gateway/client/client';
import { RunSignal } from '../nodes/shared/gateway/client/limits';
import { DONE } from '../nodes/shared/gateway/text/sse';
import { streamText } from '../nodes/shared/gateway/text/streamText';
import { median, type Row } from './measure';
import { slots, testGate } from '../test/helpers/client';

const DELTAS = 100_000;
const PORTION_BYTES = 16 * 1024;
const ROUNDS = 7;
const WORD = 'слово word ';

/** A stream of text deltas in each format, as §6 shows them. */
const streams: Record<string, (delta: number) => JsonObject> = {
	chat: () => ({
		id: 'chatcmpl-1',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'acme/writer',
		choices: [{ index: 0, delta: { content: WORD }, finish_reason: null }],
	}),
	responses: (delta) => ({
		type: 'response.output_text.delta',
		item_id: 'msg_1',
		output_index: 0,
		content_index: 0,
		delta: WORD,
		sequence_number: delta,
	}),
	messages: () => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } }),
};
const ends: Record<string, JsonObject[]> = {
	chat: [
		{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
		{ choices: [], usage: { cost_rub: 1 } },
	],
	responses: [
		{ type: 'response.completed', sequence_number: DELTAS, response: { status: 'completed', output: [] } },
	],
	messages: [{ type: 'message_stop' }],
};

/** Reads a stream and returns the number of characters of its text. */
type Reader = (portions: Uint8Array[]) => Promise<number>;

/** Parsing 100,000 deltas: the package compared with eventsource-parser and the official clients, in one run. */
export async function sse(): Promise<Row[]> {
	const rows: Row[] = [];
	for (const format of textFormats) {
		const [ours = NaN, ...others] = await measure(readersFor(format), streamOf(format.name));
		const names = Object.keys(readersFor(format)).slice(1);
		rows.push({
			what: `${DELTAS} streamed deltas, ${format.name}`,
			ours: `${Math.round(ours)} ms`,
			others: others.map((time, index) => `${names[index]} ${(time / ours).toFixed(2)} ×`),
		});
	}
	return rows;
}

function streamOf(format: string): Uint8Array[] {
	const frame = (data: JsonObject) => {
		const name = format === 'messages' ? `event: ${typeof data.type === 'string' ? data.type : ''}\n` : '';
		return `${name}data: ${JSON.stringify(data)}\n\n`;
	};
	const deltas = Array.from({ length: DELTAS }, (_, delta) => frame(streams[format]?.(delta) ?? {}));
	const end = (ends[format] ?? []).map(frame);
	const done = format === 'messages' ? '' : `data: ${DONE}\n\n`;
	const bytes = Buffer.from([...deltas, ...end, done].join(''));
	return Array.from({ length: Math.ceil(bytes.length / PORTION_BYTES) }, (_, index) =>
		bytes.subarray(index * PORTION_BYTES, (index + 1) * PORTION_BYTES),
	);
}

function readersFor(format: TextFormat): Record<string, Reader> {
	return {
		'this package': async (portions) => await readOurs(format, portions),
		'eventsource-parser + JSON.parse': (portions) => Promise.resolve(readEventsource(portions)),
		...(format.name === 'messages' ? { '@anthropic-ai/sdk': readAnthropic } : { openai: readOpenAi }),
	};
}

async function readOurs(format: TextFormat, portions: Uint8Array[]): Promise<number> {
	const client = new GatewayClient(
		{ baseUrl: 'https://gateway.test', secrets: [], maxRetries: 0 },
		{
			transport: async (_, read) => {
				const body = Object.assign(bytesOf(portions), { destroy: () => undefined });
				return await read(
					{ status: 200, headers: { 'content-type': 'text/event-stream' }, body },
					() => undefined,
				);
			},
			gate: testGate(),
			slots: slots(),
			run: new RunSignal(),
			sleep: async (milliseconds) =>
				await new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
			now: () => Date.now(),
			random: () => 0,
		},
	);
	let characters = 0;
	const body = await streamText(client, {
		format,
		output: { kind: 'text' },
		request: { endpoint: format.endpoint, kind: 'charge', method: 'POST', path: format.path, json: {} },
		onText: (text) => {
			characters += text.length;
			return Promise.resolve();
		},
	});
	format.readCompletion(body, { kind: 'text' });
	return characters;
}

async function* bytesOf(portions: Uint8Array[]): AsyncGenerator<Uint8Array> {
	for (const portion of portions) yield await Promise.resolve(portion);
}

function readEventsource(portions: Uint8Array[]): number {
	const decoder = new TextDecoder();
	let sum = 0;
	const parser = createParser({ onEvent: ({ data }) => void (sum += textOf(data)) });
	for (const portion of portions) parser.feed(decoder.decode(portion, { stream: true }));
	return sum;
}

function textOf(data: string): number {
	if (data === DONE) return 0;
	const event = asObject(parseJson(data));
	const choices = event?.choices;
	const choice = Array.isArray(choices) ? asObject(choices[0]) : undefined;
	const delta = choice?.delta ?? event?.delta;
	const text = typeof delta === 'string' ? delta : (asObject(delta)?.content ?? asObject(delta)?.text);
	return typeof text === 'string' ? text.length : 0;
}

/** The settings of an official client that receives the stream. */
function clientOf(portions: Uint8Array[]) {
	const stream = new ReadableStream<Uint8Array>({
		start(controller) {
			for (const portion of portions) controller.enqueue(portion);
			controller.close();
		},
	});
	const response = new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
	return {
		apiKey: 'none',
		baseURL: 'https://gateway.test',
		fetch: async () => await Promise.resolve(response),
	};
}

async function readOpenAi(portions: Uint8Array[]): Promise<number> {
	const { chat, responses } = new OpenAI(clientOf(portions));
	const isChat = Buffer.from(portions[0] ?? []).includes('chat.completion.chunk');
	let characters = 0;
	if (isChat) {
		const stream = await chat.completions.create({ model: 'm', messages: [], stream: true });
		for await (const chunk of stream) characters += chunk.choices[0]?.delta.content?.length ?? 0;
		return characters;
	}
	for await (const event of await responses.create({ model: 'm', input: 'x', stream: true })) {
		if (event.type === 'response.output_text.delta') characters += event.delta.length;
	}
	return characters;
}

async function readAnthropic(portions: Uint8Array[]): Promise<number> {
	const { messages } = new Anthropic(clientOf(portions));
	let characters = 0;
	const stream = await messages.create({ model: 'm', max_tokens: 1, messages: [], stream: true });
	for await (const event of stream) {
		if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
			characters += event.delta.text.length;
	}
	return characters;
}

/** The median time of each reader, in milliseconds. They run alternately, so that the machine's load affects all alike. */
async function measure(readers: Record<string, Reader>, portions: Uint8Array[]): Promise<number[]> {
	const times = Object.keys(readers).map((): number[] => []);
	// The first round warms up.
	for (let round = -1; round < ROUNDS; round += 1) {
		for (const [index, [name, read]] of Object.entries(readers).entries()) {
			const start = performance.now();
			const result = await read(portions);
			const time = performance.now() - start;
			if (result !== DELTAS * WORD.length) throw new Error(`"${name}" has read ${result}`);
			if (round >= 0) times[index]?.push(time);
		}
	}
	return times.map(median);
}
