import type { RunResult } from '../helpers/engine';
import { useGateway } from './support';

// A text that is cut off or filtered does not look like a success.

const gateway = useGateway();

const FORMATS = ['chat', 'responses', 'messages'];
const hintsOf = ({ run }: RunResult) =>
	Object.values(run.data.resultData.runData)
		.flat()
		.flatMap(({ hints = [] }) => hints.map(({ message }) => message));
const aboutText = (result: RunResult) => hintsOf(result).filter((hint) => hint.startsWith('The text'));

test.each(FORMATS)('%s: a text that is cut off says so first, and a hint what to do', async (format) => {
	const result = await gateway.generate({ format, options: { maxTokens: 2 } });
	expect(Object.entries(result.items[0]?.json ?? {})[0]).toStrictEqual(['isComplete', false]);
	expect(result.items[0]?.json).toMatchObject({ finishReason: 'length' });
	expect(aboutText(result)).toStrictEqual([
		"The text is cut off at 2 tokens. Raise or remove the option 'Max Tokens'.",
	]);
});

test('a text that is filtered has a hint to rephrase it', async () => {
	const result = await gateway.generate({ prompt: 'Say [[filter]]' });
	expect(result.items[0]?.json).toMatchObject({ isComplete: false, finishReason: 'content_filter' });
	expect(aboutText(result)).toStrictEqual([expect.stringContaining('Rephrase the prompt')]);
});

test('several texts that are cut off give one hint, also in full responses', async () => {
	const items = [{ json: {} }, { json: {} }];
	const result = await gateway.generate({ simplify: false, options: { maxTokens: 2 } }, { items });
	expect(aboutText(result)).toHaveLength(1);
});

test('a limit that nobody has set is explained', async () => {
	const prompt = `Say [[say:${'word '.repeat(5_000)}]]`;
	const result = await gateway.generate({ prompt, options: { maxCostRub: 1_000 } });
	expect(result.items[0]?.json).toMatchObject({ isComplete: false });
	expect(aboutText(result)).toStrictEqual([
		expect.stringMatching(/cut off at 4,096 tokens\. Raise 'Max Tokens'.*'Max Cost per Execution \(₽\)'/),
	]);
});

test.each(FORMATS)('%s: a whole text has neither', async (format) => {
	const result = await gateway.generate({ format });
	expect(result.items[0]?.json).not.toHaveProperty('isComplete');
	expect(aboutText(result)).toStrictEqual([]);
});
