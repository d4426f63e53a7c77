import type { JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { read, streamed } from './support';

// Four times as many deltas take about four times as long, and not sixteen times, as when each copied the list so far.

const [FEW, MANY] = [5_000, 20_000];
const MOST = 9;

const page = (n: number) => ({ type: 'url_citation', url: `https://a.test/${n}`, title: 'A' });
const token = (n: number) => ({ token: `t${n}`, logprob: -1, top_logprobs: [{ token: 'a', logprob: -1 }] });
const chunk = (delta: JsonObject = {}, choice: JsonObject = {}): JsonObject => ({
	choices: [{ index: 0, delta: { content: 'word ', ...delta }, ...choice }],
});
const called = (name: string, args: string) => ({
	tool_calls: [{ index: 0, function: { name, arguments: args } }],
});
const text = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'word ' };
const annotation = { type: 'response.output_text.annotation.added', output_index: 0, content_index: 0 };
const block = (delta: JsonObject) => ({ type: 'content_block_delta', index: 0, delta });
const closed = { type: 'response.completed', response: { status: 'completed', output: [] } };

/** Processor time, in milliseconds: the machine may be busy with something else. */
function timeOf(format: string, count: number, eventsOf: (n: number) => JsonObject[]): number {
	const events = Array.from({ length: count }, (_, n) => eventsOf(n)).flat();
	const times = [0, 0, 0].map(() => {
		const start = process.cpuUsage();
		read(format, streamed(format, format === 'responses' ? [...events, closed] : events).body);
		const { user, system } = process.cpuUsage(start);
		return (user + system) / 1_000;
	});
	return Math.min(...times);
}

it.each<[string, string, (n: number) => JsonObject[]]>([
	['annotations', 'chat', (n) => [chunk({ annotations: [page(n)] })]],
	['log probabilities', 'chat', (n) => [chunk({}, { logprobs: { content: [token(n)], refusal: null } })]],
	['images', 'chat', () => [chunk({ images: [{ image_url: { url: 'data:image/png;base64,AAAA' } }] })]],
	[
		'details of reasoning',
		'chat',
		() => [chunk({ reasoning_details: [{ type: 'a', text: 'a', index: 0 }] })],
	],
	['arguments and a name', 'chat', (n) => [chunk(called('look', n === 0 ? '{"a":"' : 'word}'))]],
	['annotations', 'responses', (n) => [text, { ...annotation, annotation: page(n) }]],
	['citations', 'messages', (n) => [block({ text: 'word ' }), block({ citation: page(n) })]],
])('a long stream with %s in each delta takes linear time (%s)', (_, format, eventsOf) => {
	expect(timeOf(format, MANY, eventsOf)).toBeLessThan(MOST * timeOf(format, FEW, eventsOf));
});
