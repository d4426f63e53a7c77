/** Answers that look as a rule says: what real gateways send, and the sandbox by itself does not. */
import type { AnswerLooks } from '../../sandbox/gateway/gateway';
import { useRawGateway, type FormatName } from './support';

const { gateway, ask } = useRawGateway();

type Json = Record<string, unknown>;

function answerWith(looks: AnswerLooks): void {
	gateway.control.addFault({ match: { method: 'POST' }, action: { kind: 'answer', ...looks } });
}

async function whole(format: FormatName, looks: AnswerLooks, fields: object = {}): Promise<Json> {
	answerWith(looks);
	const response = await ask(format, fields);
	return (await response.json()) as Json;
}

/** The events of a stream, without `[DONE]`. */
async function events(format: FormatName, looks: AnswerLooks, fields: object = {}): Promise<Json[]> {
	answerWith(looks);
	const response = await ask(format, { ...fields, stream: true });
	const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
	return lines.map((line) => JSON.parse(line.slice('data: '.length)) as Json);
}

const said = { input: '[[say:Hello there]]' };

describe('responses', () => {
	const weather = { type: 'function', name: 'weather', parameters: { properties: { city: {} } } };
	const toText = (all: Json[], type: string): string =>
		all.map((event) => (event.type === type ? String(event.delta) : '')).join('');

	it.each([
		['is missing', undefined],
		['is null', null],
		['is empty', []],
	])('the output of the closing event %s', async (_, output) => {
		const all = await events('responses', { closing: { output } }, said);
		expect(toText(all, 'response.output_text.delta')).toBe('Hello there');
		const { type, response } = all.at(-1) as { type: string; response: Json };
		expect([type, response.output, response.status]).toStrictEqual([
			'response.completed',
			output,
			'completed',
		]);
		expect(gateway.charges()).toBe(1);
	});

	it.each([
		['text', {}, { content: [{ text: '', annotations: [] }] }, 'response.output_text.delta'],
		['a summary', { model: 'sandbox/thinker-3' }, { summary: [] }, 'response.reasoning_summary_text.delta'],
		[
			'arguments',
			{ tools: [weather], tool_choice: 'required' },
			{ arguments: '' },
			'response.function_call_arguments.delta',
		],
	])('the closing event has empty %s in the item that was streamed', async (_, fields, empty, delta) => {
		const all = await events('responses', { closing: { output: [empty] } }, { ...said, ...fields });
		expect(toText(all, delta)).not.toBe('');
		const done = all.find(({ type }) => type === 'response.output_item.done') as { item: Json };
		expect(all.at(-1)).toMatchObject({ response: { output: [{ id: done.item.id, ...empty }] } });
	});

	it.each(['queued', 'in_progress'] as const)('%s is not charged, whole and streamed', async (status) => {
		const looks = { response: { status, output: [] } };
		const response = { status, output: [], usage: null, completed_at: null };
		expect(await whole('responses', looks)).toMatchObject(response);
		const all = await events('responses', looks);
		expect(all.map(({ type }) => type)).toStrictEqual([
			'response.created',
			'response.in_progress',
			'response.completed',
		]);
		expect(all.at(-1)).toMatchObject({ response });
		expect(gateway.charges()).toBe(0);
	});

	it('failed closes with an event of its own', async () => {
		const error = { code: 'server_error', message: 'No' };
		const all = await events('responses', { response: { status: 'failed', error, output: [] } });
		expect(all.at(-1)).toMatchObject({ type: 'response.failed', response: { error, usage: null } });
		expect(gateway.charges()).toBe(0);
	});

	it('a refusal is streamed as one', async () => {
		const content = [{ type: 'refusal', refusal: 'Not this' }];
		const all = await events('responses', { response: { output: [{ content }] } });
		expect(toText(all, 'response.refusal.delta')).toBe('Not this');
		expect(toText(all, 'response.output_text.delta')).toBe('');
		expect(all.at(-1)).toMatchObject({ response: { output: [{ content }] } });
	});

	it('items of other types take the place of those that the sandbox makes', async () => {
		const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBORw0KGgo=' };
		const { output } = await whole('responses', { response: { output: [item, {}] } });
		expect(output).toStrictEqual([item, {}]);
	});
});

describe('chat completions', () => {
	const annotations = [{ type: 'url_citation', url_citation: { url: 'https://example.com', title: 'A' } }];
	const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }];
	const looks = { response: { choices: [{ message: { annotations, images } }] } };
	const messages = [{ role: 'user', content: '[[say:Hello there]]' }];

	it('cite and show pictures', async () => {
		expect(await whole('chat', looks, { messages })).toMatchObject({
			choices: [{ message: { role: 'assistant', content: 'Hello there', annotations, images } }],
		});
	});

	it('cite and show pictures in deltas of a stream', async () => {
		const all = await events('chat', looks, { messages });
		const deltas = all.flatMap(({ choices }) => (choices as Json[]).map(({ delta }) => delta));
		expect(deltas).toStrictEqual([
			{ role: 'assistant', content: '' },
			{ content: 'Hello' },
			{ content: ' there' },
			{ annotations },
			{ images },
			{},
		]);
		expect(gateway.charges()).toBe(1);
	});
});

describe('messages', () => {
	const content = [{ type: 'text', text: 'Another one' }];

	it.each([
		['after the content of the first', {}, ['content_block_start', 'content_block_stop']],
		['before any content', { response: { content: [] } }, []],
	])('a second message begins %s', async (_, first, blocks) => {
		const all = await events('messages', { ...first, next: { content } });
		const types = all.map(({ type }) => type).filter((type) => type !== 'content_block_delta');
		expect(types).toStrictEqual([
			'message_start',
			...blocks,
			'message_start',
			'content_block_start',
			'content_block_stop',
			'message_delta',
			'message_stop',
		]);
		const ids = all.flatMap(({ message }) => (message === undefined ? [] : [(message as Json).id]));
		expect(new Set(ids).size).toBe(2);
		expect(gateway.charges()).toBe(1);
	});

	it('have the stop reason of the rule', async () => {
		const response = { stop_reason: 'pause_turn', stop_sequence: undefined };
		expect(await whole('messages', { response })).toMatchObject({ stop_reason: 'pause_turn' });
		const all = await events('messages', { response });
		expect(all.at(-2)).toMatchObject({ delta: { stop_reason: 'pause_turn' } });
	});
});

it('a rule of an answer goes with a fault of the stream, and hits as often as it says', async () => {
	const looks = { response: { choices: [{ message: { content: 'one two three' } }] } };
	answerWith(looks);
	gateway.control.addFault({ action: { kind: 'stream', stream: { missingEnd: true } } });
	const first = await ask('chat', { stream: true });
	expect(await first.text()).toMatch(/one[^]*two[^]*three[^]*$(?<!\[DONE\]\s*)/);
	const second = await ask('chat');
	expect(await second.text()).not.toContain('one two three');
});
