import { withFiles, attach, fromField } from '../nodes/text/files';
import { image, prompts, text, useStories } from './support';

// Half an emoji, as an expression such as {{ $json.text.slice(0, 1000) }} leaves it: strict servers refuse it.

const { gateway, execute } = useStories();

const HALVES = ['a\ud83d', '\ude00b', 'a\ud83d \ude00b'];
const whole = (value: string) => Buffer.from(value).toString();

/** The texts of the requests as they were sent. */
const bodies = () =>
	gateway.control.requests({ method: 'POST' }).map(({ body }) => JSON.stringify(body.json));

test.each(['chat', 'responses', 'messages'])('a text in the format %s has none', async (format) => {
	const execution = await execute(text({ format, systemPrompt: HALVES[0] }), prompts(...HALVES));
	expect(execution.error).toBeUndefined();
	expect(bodies()).toHaveLength(3);
	for (const body of bodies()) expect(body).not.toMatch(/\\ud[89a-f]/);
	for (const half of HALVES) expect(bodies().join()).toContain(whole(half));
});

test('neither has a body with files, nor the name of a field', async () => {
	const file = { name: 'data', content: Buffer.from('a'), mimeType: 'image/png', fileName: 'a.png' };
	const node = text({
		prompt: HALVES[0],
		...attach(fromField('image', 'data')),
		options: { extraBody: JSON.stringify({ metadata: { 'k\ud83d': 'v' } }) },
	});
	expect((await execute(node, [await withFiles(file)])).error).toBeUndefined();
	expect(bodies().join()).not.toMatch(/\\ud[89a-f]/);
	expect(bodies().join()).toContain(`"k${whole('\ud83d')}"`);
});

test('neither has a media task', async () => {
	expect((await execute(image(), prompts(...HALVES))).error).toBeUndefined();
	expect(bodies()).toHaveLength(3);
	expect(bodies().join()).not.toMatch(/\\ud[89a-f]/);
});

test('a whole emoji, and a text that looks like a half, are sent as they are', async () => {
	await execute(text(), prompts('😀 \\ud83d \\\\ud83d'));
	expect(bodies().join()).toContain(JSON.stringify('😀 \\ud83d \\\\ud83d'));
});
