import Anthropic from '@anthropic-ai/sdk';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';

import { textFormats } from '../nodes/shared/gateway/text/formats';
import type { TextFormat } from '../nodes/shared/gateway/text/formats/format';
import { asObject, parseJson, type JsonObject } from '../nodes/shared/gateway/util/json';
import { GatewayClient } from '../nodes/shared/gateway/client/client';
import { DONE, SseParser } from '../nodes/shared/gateway/text/sse';
import { streamText } from '../nodes/shared/gateway/text/streamText';
import { table } from './measure';
import type { Headline, Report } from './report';
import { testGate } from '../test/helpers/client';

const DELTAS = 100_000;
const PORTION_BYTES = 16 * 1024;
const ROUNDS = 7;
const WORD = 'слово word ';
const OURS = 'this package';

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
export async function sse(): Promise<Report> {
	const rows: Array<Array<string | number>> = [];
	const headlines: Headline[] = [];
	for (const format of textFormats) {
		const portions = streamOf(format.name);
		const readers = readersFor(format);
		const times = await measure(readers, portions);
		const ours = times[OURS] ?? NaN;
		for (const name of Object.keys(readers)) {
			const time = times[name] ?? NaN;
			rows.push([format.name, name, Math.round(time), (time / ours).toFixed(2)]);
		}
		headlines.push(headline(format.name, times));
	}
	const details = [
		`${DELTAS.toLocaleString('en')} text deltas in portions of ${PORTION_BYTES / 1024} KiB, median of ${ROUNDS} rounds; above 1.00 the package is faster.`,
		'',
		'“events only” stops at the events; the others parse the JSON of each and read its text. The package also assembles the whole response.',
		'',
		table(['format', 'reader', 'ms', 'time ÷ this package’s'], rows),
	].join('\n');
	return { details, headlines };
}

function headline(format: string, { [OURS]: ours = NaN, ...others }: Record<string, number>): Headline {
	const compared = Object.entries(others)
		.filter(([name]) => !name.endsWith('events only'))
		.map(([name, time]) => `${name} ${(time / ours).toFixed(2)} ×`);
	return {
		what: `Reading ${DELTAS.toLocaleString('en')} streamed deltas, ${format}`,
		ours: `${Math.round(ours)} ms`,
		compared: compared.join(', '),
		aim: '',
	};
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
		[OURS]: async (portions) => await readOurs(format, portions),
		'eventsource-parser + JSON.parse': (portions) => Promise.resolve(readEventsource(portions, textOf)),
		...(format.name === 'messages' ? { '@anthropic-ai/sdk': readAnthropic } : { openai: readOpenAi }),
		'this package, events only': (portions) => Promise.resolve(countOurs(portions)),
		'eventsource-parser, events only': (portions) => Promise.resolve(readEventsource(portions, () => 1)),
	};
}

async function readOurs(format: TextFormat, portions: Uint8Array[]): Promise<number> {
	const never = () => Promise.reject(new Error('not used'));
	const client = new GatewayClient(
		{ baseUrl: 'https://gateway.test', secrets: [], maxRetries: 0 },
		{
			transport: {
				text: never,
				stream: () => {
					const body = Object.assign(bytesOf(portions), { destroy: () => undefined });
					return Promise.resolve({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
				},
			},
			gate: testGate(),
			withSlot: async (work) => await work(),
			pause: never,
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
		request: { group: format.group, kind: 'charge', method: 'POST', path: format.path, json: {} },
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

function countOurs(portions: Uint8Array[]): number {
	let events = 0;
	const parser = new SseParser(() => void (events += 1));
	for (const portion of portions) parser.push(portion);
	return events;
}

function readEventsource(portions: Uint8Array[], measureOf: (data: string) => number): number {
	const decoder = new TextDecoder();
	let sum = 0;
	const parser = createParser({ onEvent: ({ data }) => void (sum += measureOf(data)) });
	for (const portion of portions) parser.feed(decoder.decode(portion, { stream: true }));
	return sum;
}

/** The characters of text in an event of any format. */
function textOf(data: string): number {
	if (data === DONE) return 0;
	const event = asObject(parseJson(data));
	const choices = event?.choices;
	const choice = Array.isArray(choices) ? asObject(choices[0]) : undefined;
	const delta = choice?.delta ?? event?.delta;
	const text = typeof delta === 'string' ? delta : (asObject(delta)?.content ?? asObject(delta)?.text);
	return typeof text === 'string' ? text.length : 0;
}

function response(portions: Uint8Array[]): Response {
	const stream = new ReadableStream<Uint8Array>({
		start(controller) {
			for (const portion of portions) controller.enqueue(portion);
			controller.close();
		},
	});
	return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

async function readOpenAi(portions: Uint8Array[]): Promise<number> {
	const client = new OpenAI({
		apiKey: 'none',
		baseURL: 'https://gateway.test',
		fetch: () => Promise.resolve(response(portions)),
	});
	const isChat = Buffer.from(portions[0] ?? []).includes('chat.completion.chunk');
	let characters = 0;
	if (isChat) {
		const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true });
		for await (const chunk of stream) characters += chunk.choices[0]?.delta.content?.length ?? 0;
		return characters;
	}
	for await (const event of await client.responses.create({ model: 'm', input: 'x', stream: true })) {
		if (event.type === 'response.output_text.delta') characters += event.delta.length;
	}
	return characters;
}

async function readAnthropic(portions: Uint8Array[]): Promise<number> {
	const client = new Anthropic({
		apiKey: 'none',
		baseURL: 'https://gateway.test',
		fetch: () => Promise.resolve(response(portions)),
	});
	let characters = 0;
	const stream = await client.messages.create({ model: 'm', max_tokens: 1, messages: [], stream: true });
	for await (const event of stream) {
		if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
			characters += event.delta.text.length;
	}
	return characters;
}

/** The median time of each reader, in milliseconds. They run alternately, so that the machine's load affects all alike. */
async function measure(
	readers: Record<string, Reader>,
	portions: Uint8Array[],
): Promise<Record<string, number>> {
	const times: Record<string, number[]> = {};
	for (let round = -1; round < ROUNDS; round += 1) {
		for (const [name, read] of Object.entries(readers)) {
			const start = performance.now();
			const result = await read(portions);
			const time = performance.now() - start;
			const expected = name.endsWith('events only') ? DELTAS : DELTAS * WORD.length;
			if (result < expected || result > expected + 5) throw new Error(`"${name}" has read ${result}`);
			// The first round warms up.
			if (round >= 0) (times[name] ??= []).push(time);
		}
	}
	const medians = Object.entries(times).map(([name, list]): [string, number] => {
		const sorted = [...list].sort((a, b) => a - b);
		return [name, sorted[Math.floor(sorted.length / 2)] ?? NaN];
	});
	return Object.fromEntries(medians);
}
