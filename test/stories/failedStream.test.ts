import { CONTINUE, numbered, text, useStories } from './support';

// The model fails in the middle of a text, in the format Responses. It is charged at its end only (§6.1).

const { gateway, execute } = useStories();

/** What workflows decide on. */
const DECISIVE = ['retryable', 'code', 'type', 'httpCode', 'mayBeCharged', 'paid'];

/** The error of one of three texts, whose generation fails with this one. */
async function failed(error: object, stream: boolean) {
	const response = { id: 'resp_1', object: 'response', status: 'failed', error, output: [], usage: null };
	const begun = { ...response, status: 'in_progress', error: null };
	const events = [
		{ type: 'response.created', sequence_number: 0, response: begun },
		{ type: 'response.failed', sequence_number: 1, response },
	];
	const frames = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
	const body = stream
		? { text: frames, contentType: 'text/event-stream' }
		: { text: JSON.stringify(response), contentType: 'application/json' };
	gateway.control.addFault({ match: { path: '/responses' }, action: { kind: 'raw', status: 200, body } });
	const node = text({ format: 'responses', options: { stream } }, CONTINUE);
	const execution = await execute(node, numbered(3));
	expect(execution.items()).toHaveLength(3);
	const [found, ...others] = execution.errors();
	expect(others).toStrictEqual([]);
	return Object.fromEntries(DECISIVE.map((name) => [name, found?.[name]]));
}

test.each([
	{ code: 'server_error', message: 'The model had an error' },
	{ code: 'rate_limit_exceeded', message: 'Too many tokens' },
	{ code: 'invalid_prompt', type: 'invalid_request_error', message: 'Not this prompt' },
])('a workflow that decides by the error item does the same, streamed or not: $code', async (error) => {
	const whole = await failed(error, false);
	expect(whole).toMatchObject({ code: error.code });
	expect(await failed(error, true)).toStrictEqual(whole);
	// The other two texts, in each of the two executions.
	expect(gateway.charges()).toBe(4);
});
