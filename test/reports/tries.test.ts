import { multiplyDecimals } from '../../nodes/shared/gateway/util/money';
import { respondJson } from '../stories/support';
import { form, locator } from '../helpers/values';
import { eventually } from '../helpers/time';
import type { StoryNode } from '../stories/execution';
import { image, numbered, prompts, says, text, useStories } from '../stories/support';

// What a retry sends, takes and pays. Most of it is in the stories.

const { gateway, execute, disturb, calm } = useStories();

const storage = (operation: string, more: object = {}): StoryNode => ({
	node: 'storage',
	parameters: { resource: 'file', operation, ...more },
});
const inTurn = { options: { concurrency: 1 } };

const FILE = { id: 'a', url: 'https://files.test/a' };

const READS: Array<[what: string, node: StoryNode, path: string, bodyOf: (value: string) => object]> = [
	[
		'a balance',
		{ node: 'balance', parameters: { resource: 'balance', operation: 'get', ...inTurn } },
		'/balance',
		(amount) => ({ amount }),
	],
	[
		'a file',
		storage('get', { fileId: '={{ $json.prompt }}', ...inTurn }),
		'/storage/*',
		(value) => ({ ...FILE, externalUserId: value }),
	],
	[
		'a list of files',
		storage('getMany', { returnAll: true, ...inTurn }),
		'/storage',
		(value) => ({ files: [{ ...FILE, externalUserId: value }] }),
	],
];

test.each(READS)('a retry reads %s again', async (_, node, path, bodyOf) => {
	gateway.control.addFault({ match: { path }, action: respondJson(bodyOf('50.25')) });
	gateway.control.addFault({ match: { path }, action: { kind: 'error', code: 'unauthorized' } });
	const failed = await execute(node, prompts('a', 'b'));
	expect(failed.error?.context?.itemIndex).toBe(1);
	calm();
	gateway.control.addFault({ match: { path }, action: respondJson(bodyOf('75.5')), times: 0 });
	const items = (await failed.retry()).items();
	const values = items.map(({ json }) => json.amount ?? json.externalUserId);
	expect(values).toStrictEqual(['75.5', '75.5']);
});

/** Of three pictures, the third is refused: two are paid for. */
async function twoOfThree(node: StoryNode) {
	const refusal = { kind: 'error', code: 'insufficient_quota' } as const;
	disturb(says('a cow'), refusal, () => gateway.charges() === 2);
	const failed = await execute(node, prompts('a cat', 'a dog', 'a cow'));
	expect(gateway.charges()).toBe(2);
	return failed;
}

const FORM = { quality: 'draft', size: '512x512' };
const named = { ...locator('aurora/canvas-1'), mode: 'list' };

test.each<[what: string, stored: object, opened: object]>([
	['a form without values', { input: { ...form({}), value: null } }, { input: form({}) }],
	[
		'a form that lacks the unset fields',
		{ input: form(FORM) },
		{ input: form({ ...FORM, seed: null }, [{ id: 'seed' }]) },
	],
	['a model without its name', { model: named }, { model: { ...named, cachedResultName: 'Canvas' } }],
])('a node with %s pays for no picture again after the editor has opened it', async (_, stored, opened) => {
	const failed = await twoOfThree(image(stored));
	calm();
	const retried = await failed.retry(opened, { onError: 'continueRegularOutput' });
	expect(retried.items().map(({ json }) => json.state)).toStrictEqual(['success', 'success', 'success']);
	expect(gateway.charges()).toBe(3);
});

test('after a retry that fails, its error says to retry that one, which pays only for the rest', async () => {
	const refusal = { kind: 'error', code: 'insufficient_quota' } as const;
	disturb(says('text 1'), refusal);
	const node = text({ options: { concurrency: 1 } });
	const failed = await execute(node, numbered(3));
	disturb(says('text 2'), refusal);
	const again = await failed.retry();
	for (const { errorText } of [failed, again])
		expect(errorText).toContain(
			"use 'Retry' of this execution in the list of executions: it pays only for what",
		);
	calm();
	const retried = await again.retry();
	expect(retried.items().map(({ json }) => json.text)).toStrictEqual(['text 0', 'text 1', 'text 2']);
	expect(gateway.charges()).toBe(3);
});

test('with *Minimum Balance*, a text that waits for the limit of its execution holds up no other execution', async () => {
	const dry = await execute(text({ options: { dryRun: true, maxTokens: 50 } }), numbered(1));
	const most = multiplyDecimals(JSON.stringify(dry.items()[0]?.json.maxCostRub), '1.5');
	const hold = gateway.control.hold({ which: says('text 0') });
	const options = { maxTokens: 50, maxCostRub: Number(most) };
	const limited = execute(text({ options }), numbered(2), { minBalanceRub: 50 });
	await eventually(() => hold.requests.length === 1);
	const other = await execute(text(), prompts('[[say:at once]]'), { minBalanceRub: 50 });
	expect(other.items().map(({ json }) => json.text)).toStrictEqual(['at once']);
	expect(gateway.charges()).toBe(2);
	hold.release();
	expect((await limited).items().map(({ json }) => json.text)).toStrictEqual(['text 0', 'text 1']);
});
