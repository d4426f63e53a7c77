import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { apiErrorOf } from '../../helpers/client';
import { events, readStream } from '../../helpers/streams';

// How the events of a stream are read, where providers and connections differ.

describe('chat: differences between providers', () => {
	const end: JsonObject = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
	const delta = (fields: JsonObject): JsonObject => ({
		object: null,
		choices: [{ index: 0, delta: fields }],
	});
	const choiceOf = async (...payloads: Array<JsonObject | string>) => {
		const { body } = await readStream('chat', events(...payloads));
		return textFormat('chat').readCompletion(body, { kind: 'text' }).choices[0];
	};

	it('the usage may be missing before [DONE]', async () =>
		expect(await choiceOf(delta({ content: 'Hi' }), end, '[DONE]')).toMatchObject({ text: 'Hi' }));

	it('tool calls with one index are separated by their IDs, and repeated names are ignored', async () => {
		const call = (id: string, name: string, args: string) =>
			delta({ tool_calls: [{ index: 0, id, function: { name, arguments: args } }] });
		const choice = await choiceOf(
			call('a', 'f', '{"x":1}'),
			call('b', 'g', '{"y":'),
			call('b', 'g', '2}'),
			end,
			'[DONE]',
		);
		expect(choice?.toolCalls).toStrictEqual([
			{ id: 'a', name: 'f', arguments: { x: 1 } },
			{ id: 'b', name: 'g', arguments: { y: 2 } },
		]);
	});

	it('an error may be a text', async () => {
		const { details } = await apiErrorOf(readStream('chat', events({ error: 'boom' })));
		expect(details.description).toContain('boom');
	});
});

describe('responses: sequence numbers (§6.1)', () => {
	const delta = (number: number, text: string): JsonObject => ({
		type: 'response.output_text.delta',
		sequence_number: number,
		output_index: 0,
		delta: text,
	});
	const completed = (number: number, output: JsonObject[]): JsonObject => ({
		type: 'response.completed',
		sequence_number: number,
		response: { id: 'r', status: 'completed', output },
	});
	const message = { type: 'message', content: [{ type: 'output_text', text: 'abc' }] };

	it('duplicates are ignored', async () => {
		const twice = events(delta(0, 'a'), delta(0, 'a'), delta(1, 'b'), delta(0, 'a'), completed(2, [message]));
		expect((await readStream('responses', twice)).shown.join('')).toBe('ab');
	});

	it('a gap is ignored when the closing event has the whole completion', async () => {
		const { body } = await readStream(
			'responses',
			events(delta(0, 'a'), delta(2, 'c'), completed(3, [message])),
		);
		expect(textFormat('responses').readCompletion(body, { kind: 'text' }).choices[0]?.text).toBe('abc');
	});

	it('a gap is an error when the completion has to be put together from deltas', async () => {
		const { details } = await apiErrorOf(
			readStream('responses', events(delta(0, 'a'), delta(2, 'c'), completed(3, []))),
		);
		expect(details.message).toBe('The response ended before it was complete');
		expect(details.outcome).toBe('unknown');
	});

	it('the output is put together from its events when the closing event does not repeat it', async () => {
		const added = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '' };
		const stream = events(
			{ type: 'response.output_item.added', sequence_number: 0, output_index: 1, item: { type: 'message' } },
			{ ...delta(1, 'Hel'), output_index: 1 },
			{ ...delta(2, 'lo'), output_index: 1 },
			{ type: 'response.output_item.added', sequence_number: 3, output_index: 0, item: added },
			{
				type: 'response.function_call_arguments.delta',
				sequence_number: 4,
				output_index: 0,
				delta: '{"a":1}',
			},
			{
				type: 'response.reasoning_summary_text.delta',
				sequence_number: 5,
				output_index: 2,
				summary_index: 0,
				delta: 'Hm',
			},
			completed(6, []),
		);
		const { body } = await readStream('responses', stream);
		const [choice] = textFormat('responses').readCompletion(body, { kind: 'text' }).choices;
		expect(choice).toMatchObject({
			text: 'Hello',
			toolCalls: [{ id: 'c1', name: 'look', arguments: { a: 1 } }],
		});
	});

	it('an error may have its fields at the top of its event', async () => {
		const { details } = await apiErrorOf(
			readStream('responses', events({ type: 'error', code: 'server_error', message: 'boom' })),
		);
		expect(details).toMatchObject({ code: 'server_error' });
		expect(details.description).toContain('boom');
	});
});
