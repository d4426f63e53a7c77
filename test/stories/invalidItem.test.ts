import { locator } from '../contract/support';
import { form } from '../helpers/media';
import type { StoryNode } from './execution';
import { CONTINUE, image, text, useStories } from './support';

// One of many items cannot be sent, because its expression returns nothing, or no JSON.

const { gateway, execute, sent } = useStories();

type Settings = NonNullable<StoryNode['settings']>;

const BAD = 10;

/** Items, of which one has nothing in its fields. */
const items = (count: number) =>
	Array.from({ length: count }, (_, n) => ({
		json: n === BAD ? { n } : { n, prompt: `item ${n}`, key: `key ${n}` },
	}));
const task = (settings?: Settings) =>
	image(
		{
			resource: 'task',
			operation: 'createAndWait',
			prompt: '',
			inputMode: 'json',
			inputJson: '={{ $json.prompt && JSON.stringify({ prompt: $json.prompt, quality: "draft" }) }}',
		},
		settings,
	);

const CASES: Array<[string, number, (settings?: Settings) => StoryNode]> = [
	['a text without a prompt', 20, (settings) => text({}, settings)],
	[
		'a picture whose idempotency key is empty',
		12,
		(settings) => image({ prompt: 'a cat', options: { idempotencyKey: '={{ $json.key }}' } }, settings),
	],
	['a task whose input is no JSON', 12, task],
	[
		'a picture without a model',
		12,
		(settings) => image({ model: locator('={{ $json.key && "aurora/canvas-1" }}') }, settings),
	],
	[
		'an edit without a picture',
		12,
		(settings) => {
			const input = form({ image_urls: '={{ $json.key && "https://files.test/a.png" }}' });
			const model = locator('aurora/retouch-1');
			return image({ operation: 'edit', model, prompt: 'See https://files.test', input }, settings);
		},
	],
];

describe.each(CASES)('%s, among %d items', (_, count, node) => {
	it('stops the node before anything is sent: the error names the item', async () => {
		const { error, errorText } = await execute(node(), items(count));
		expect(error?.context?.itemIndex).toBe(BAD);
		expect(errorText).toContain('Nothing was sent.');
		expect(sent()).toStrictEqual([]);
		expect(gateway.charges()).toBe(0);
	});

	it('is an error item with *On Error: Continue*; the others have their results', async () => {
		const execution = await execute(node(CONTINUE), items(count));
		const outputs = execution.items();
		expect(outputs.map(({ pairedItem }) => pairedItem)).toStrictEqual(
			items(count).map((_item, item) => ({ item })),
		);
		expect(outputs.flatMap(({ json }, index) => (json.error === undefined ? [] : [index]))).toStrictEqual([
			BAD,
		]);
		const [error] = execution.errors();
		expect(error).toMatchObject({ code: 'invalid_input', retryable: false });
		expect(error?.description).toContain('Nothing was sent.');
		expect(gateway.charges()).toBe(count - 1);
	});
});
