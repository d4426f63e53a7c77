import { CONTINUE, prompts, rubles, text, useStories } from './support';

// Responses that were paid for, as providers send them when something goes wrong; other clients lose or misread them.

const { gateway, execute } = useStories();

const TEXT = 'Дорогие покупатели, в эту пятницу мы';
const ERROR = { code: 502, message: 'Upstream idle timeout exceeded' };
const USAGE = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21, cost_rub: 0.5 };

/** The first response is this one, or a stream of these chunks. */
function respond(...bodies: object[]): void {
	const [body] = bodies;
	const isWhole = bodies.length === 1;
	const frames = [...bodies.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
	gateway.control.addFault({
		match: { path: '/chat/completions' },
		action: {
			kind: 'raw',
			status: 200,
			body: {
				text: isWhole ? JSON.stringify(body) : frames.map((frame) => `data: ${frame}\n\n`).join(''),
				contentType: isWhole ? 'application/json' : 'text/event-stream',
			},
		},
	});
}

const whole = (message: object, end: object) => ({ id: 'c1', choices: [{ message, ...end }], usage: USAGE });
const chunk = (delta: object, end: object = {}) => ({ id: 'c1', choices: [{ index: 0, delta, ...end }] });
const usage = { id: 'c1', choices: [], usage: USAGE };
const THREE = prompts('a sale', '[[say:two]]', '[[say:three]]');

describe('an error inside a choice', () => {
	const end = { finish_reason: 'error', error: ERROR };
	const bodies: Array<[string, object[], object]> = [
		['whole', [whole({ content: TEXT }, end)], {}],
		['streamed', [chunk({ content: TEXT }), chunk({ content: '' }, end), usage], { stream: true }],
	];

	it.each(bodies)(
		'%s: its item is an error with the text and the cost; the others have texts',
		async (...row) => {
			const [, responses, options] = row;
			respond(...responses);
			const execution = await execute(text({ options }, CONTINUE), THREE);
			expect(execution.errors()).toStrictEqual([
				expect.objectContaining({
					code: '502',
					receivedText: TEXT,
					costRub: 0.5,
					mayBeCharged: true,
					retryable: false,
				}),
			]);
			const [error] = execution.errors();
			expect(String(error?.description)).toMatch(
				/Upstream idle timeout.*Received so far.*The call cost ₽0\.50\./s,
			);
			const texts = execution.items().map(({ json }) => json.text);
			expect(texts.sort()).toStrictEqual(['three', 'two', undefined]);
			expect(gateway.charges()).toBe(2);
		},
	);

	it.each(bodies)('%s: without On Error, the node says what happened and what it cost', async (...row) => {
		const [, responses, options] = row;
		respond(...responses);
		const execution = await execute(text({ options }), THREE.slice(0, 1));
		expect(execution.errorText).toMatch(/did not finish its response/);
		expect(execution.errorText).toContain(TEXT);
		expect(execution.errorText).toMatch(rubles('0.5'));
	});
});

it('a text that ended for an unknown reason is delivered, and a hint names the reason', async () => {
	respond(whole({ content: TEXT }, { finish_reason: 'insufficient_system_resource' }));
	const execution = await execute(text(), THREE);
	expect(execution.error).toBeUndefined();
	expect(execution.items()[0]?.json).toMatchObject({
		text: TEXT,
		finishReason: 'insufficient_system_resource',
	});
	expect(execution.hints()).toContain('“insufficient_system_resource”');
});

it('parallel calls of a tool without IDs are two', async () => {
	const call = (city: string) =>
		chunk({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: JSON.stringify({ city }) } }] });
	respond(call('Казань'), call('Пермь'), chunk({}, { finish_reason: 'tool_calls' }), usage);
	const tools = { function: [{ name: 'weather', parameters: '{"type": "object"}' }] };
	const execution = await execute(text({ tools, options: { stream: true } }), THREE);
	expect(execution.items()[0]?.json.toolCalls).toMatchObject([
		{ name: 'weather', arguments: { city: 'Казань' } },
		{ name: 'weather', arguments: { city: 'Пермь' } },
	]);
});

it('a sound in padded pieces is whole, and is sound', async () => {
	const data = ['c291bmQ=', 'MTI=', 'Mw==', 'NDU2'].map((piece) => chunk({ audio: { data: piece } }));
	respond(...data, chunk({ audio: { transcript: 'la' } }, { finish_reason: 'stop' }), usage);
	const values = { modalities: ['text', 'audio'], audioFormat: 'pcm16' };
	const execution = await execute(text({ options: { stream: true, audioAndImages: { values } } }), THREE);
	const [item] = execution.items();
	expect(item?.json.text).toBe('la');
	expect(item?.binary?.audio).toMatchObject({ fileName: 'audio.pcm16', mimeType: 'audio/pcm', bytes: 11 });
});
