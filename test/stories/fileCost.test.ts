import { locator } from '../contract/support';
import { b64, film, paper, picture, sound, withFiles } from '../nodes/text/files';
import type { StoryNode } from './execution';
import { text, useStories } from './support';

// What calls with files may cost, for *Max Cost per Execution* and in a *Dry Run*.

const { gateway, execute, spent } = useStories();

const PRESETS = {
	image: { resource: 'image', operation: 'analyze', file: picture },
	document: { resource: 'document', operation: 'read', file: paper },
	audio: { resource: 'audio', operation: 'transcribe', file: sound },
	video: { resource: 'video', operation: 'analyze', file: film },
} as const;
type Kind = keyof typeof PRESETS;

function about(kind: Kind, more: object = {}): StoryNode {
	const { resource, operation } = PRESETS[kind];
	return text({ resource, operation, prompt: 'What is it?', ...more });
}

/** Items that each have a file of this size. */
async function items(kind: Kind, count = 1, kilobytes = 1) {
	const { file } = PRESETS[kind];
	const content = Buffer.alloc(kilobytes * 1_024, file.content);
	const item = async () => await withFiles({ ...file, name: 'data', content });
	return await Promise.all(Array.from({ length: count }, item));
}

/** The outputs of a dry run, with the most that the first item may cost. */
async function dry(node: StoryNode, inputs: Awaited<ReturnType<typeof items>>) {
	const options = { maxTokens: 100, ...(node.parameters.options as object), dryRun: true };
	const execution = await execute({ ...node, parameters: { ...node.parameters, options } }, inputs);
	expect(execution.error).toBeUndefined();
	const outputs = execution.items().map(({ json }) => json);
	return { outputs, hints: execution.hints(), rub: Number(outputs[0]?.maxCostRub) };
}

/** The price of a context window and 100 tokens of response. */
const windowOf = (tokens: number, input: number, output: number) => (tokens * input + 100 * output) * 0.9;

describe('a picture', () => {
	it('in each of five items fits *Max Cost per Execution*, with 100 as it is added', async () => {
		const execution = await execute(
			about('image', { options: { maxCostRub: 100 } }),
			await items('image', 5),
		);
		expect(execution.error).toBeUndefined();
		expect(execution.items()).toHaveLength(5);
		expect(gateway.charges()).toBe(5);
		expect(Number(spent())).toBeLessThan(5);
	});

	it('has an estimate in a dry run, which says so, also where the context window is 1M', async () => {
		const node = about('image', { model: locator('sandbox/grand-4') });
		const { outputs, hints } = await dry(node, await items('image', 3));
		expect(outputs).toHaveLength(3);
		for (const { maxCostRub, isEstimate } of outputs) {
			expect(maxCostRub).toBeLessThan(200);
			expect(isEstimate).toBe(true);
		}
		expect(hints).toMatch(/3 items: about ₽\d/);
	});

	it('counts the same as an attachment, in messages as JSON, in Extra Body, and by URL', async () => {
		const inputs = await items('image', 1, 100);
		const attached = await dry(about('image'), inputs);
		const messages = (url: string) =>
			JSON.stringify([{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]);
		const data = messages(`data:image/png;base64,${b64({ content: Buffer.alloc(102_400) })}`);
		for (const parameters of [
			{ inputMode: 'json', messagesJson: data },
			{ inputMode: 'json', messagesJson: messages('https://files.test/a.png') },
			{ prompt: '-', options: { extraBody: `{ "messages": ${data} }` } },
		])
			expect((await dry(text(parameters), inputs)).rub).toBeCloseTo(attached.rub, 1);
	});
});

it('a text has a limit, and no estimate', async () => {
	const { outputs, hints } = await dry(text({ prompt: 'Hi' }), [{ json: {} }]);
	expect(outputs[0]).not.toHaveProperty('isEstimate');
	expect(hints).toContain('1 item: at most ₽');
});

test.each<Kind>(['document', 'audio', 'video'])(
	'%s: counts by size, up to the context window',
	async (kind) => {
		const node = about(kind, { model: locator('sandbox/grand-4') });
		const rubOf = async (kilobytes: number) => (await dry(node, await items(kind, 1, kilobytes))).rub;
		const window = windowOf(1_000_000, 0.0125, 0.0625);
		const [small, large, huge] = [await rubOf(10), await rubOf(100), await rubOf(30_000)];
		expect(small).toBeLessThan(large);
		expect(large).toBeLessThan(window / 5);
		expect(huge).toBeCloseTo(window, 6);
	},
);

it('a file by URL, whose size is not known, counts as the context window', async () => {
	const node = about('video', { source: 'url', url: 'https://files.test/film.mp4' });
	const { outputs, rub } = await dry(node, [{ json: {} }]);
	expect(rub).toBeCloseTo(windowOf(200_000, 0.0003, 0.0015), 6);
	expect(outputs[0]).not.toHaveProperty('isEstimate');
});

const MODELS = ['sandbox/swift-1', 'sandbox/balanced-2', 'sandbox/thinker-3', 'sandbox/grand-4'];

test.each(Object.keys(PRESETS) as Kind[])('%s: costs less than its dry run says', async (kind) => {
	for (const model of MODELS) {
		await gateway.control.reset();
		const node = about(kind, { model: locator(model), options: { maxTokens: 100 } });
		const { rub } = await dry(node, await items(kind));
		await execute(node, await items(kind));
		expect(gateway.charges()).toBe(1);
		expect(Number(spent())).toBeLessThan(rub);
	}
});
