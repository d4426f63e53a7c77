import { checkKey, idempotencyKey, keyAfter } from '../../../nodes/shared/gateway/media/idempotency';
import type { Json } from '../../../nodes/shared/gateway/util/json';

const context = { workflowId: 'w', nodeId: 'n', root: 'e', run: '0', itemIndex: 0 };
const body = { model: 'm', input: { prompt: 'p', n: 1 } };

describe('a key of the user', () => {
	it.each(['order-7:b', 'order 7', 'a  b', '!', '~', 'k'.repeat(255)])('is sent as typed: %j', (key) => {
		expect(() => checkKey(key)).not.toThrow();
	});

	it.each([' key', 'key ', 'a\tb', 'a\nb', 'key\n', 'key\u007f', 'é', 'kеy', 'заказ-А', '🙂', ' ', ''])(
		'that HTTP clients would change is refused: %j',
		(key) => {
			expect(() => checkKey(key)).toThrow('cannot be sent as it is');
		},
	);

	it('that is refused leads to an error that says which keys are allowed', () => {
		expect(() => checkKey('заказ-А')).toThrow(
			expect.objectContaining({
				description: expect.stringMatching(/255 characters.*ASCII.*spaces/) as string,
				param: 'idempotencyKey',
			}) as Error,
		);
	});
});

describe('the idempotency key (§4.6)', () => {
	it('is the same for the same creation, whatever the order of its fields', () => {
		expect(idempotencyKey('workflow', context, { input: { n: 1, prompt: 'p' }, model: 'm' })).toBe(
			idempotencyKey('workflow', context, body),
		);
	});

	it('in scope "execution" does not depend on the body', () => {
		expect(idempotencyKey('execution', context, {})).toBe(idempotencyKey('execution', context, body));
	});

	it('after a failed task is another one', () => {
		const key = idempotencyKey('execution', context, {});
		const keys = [key, keyAfter(key, 't1'), keyAfter(key, 't2'), keyAfter(keyAfter(key, 't1'), 't2')];
		expect(new Set(keys).size).toBe(keys.length);
	});

	test.each([
		['execution', { root: 'other' }],
		['node', { nodeId: 'other' }],
		['run', { run: '1' }],
		['item', { itemIndex: 1 }],
		['workflow', { workflowId: 'other' }],
	])('differs for another %s', (_, other) => {
		expect(idempotencyKey('execution', { ...context, ...other }, body)).not.toBe(
			idempotencyKey('execution', context, body),
		);
	});

	it('depends on the scope, the context and the body', () => {
		const keys = [
			idempotencyKey('execution', context, body),
			idempotencyKey('workflow', context, body),
			idempotencyKey('workflow', { ...context, workflowId: 'other' }, body),
			idempotencyKey('workflow', { ...context, nodeId: 'other' }, body),
			idempotencyKey('workflow', context, { ...body, model: 'x' }),
			// The parts must not run together.
			idempotencyKey('workflow', { ...context, workflowId: 'wn', nodeId: '' }, body),
		];
		expect(new Set(keys).size).toBe(keys.length);
		for (const key of keys) expect(key).toMatch(/^n8n-gw-[0-9a-f]{64}$/);
		expect.assertions(keys.length + 1);
	});

	it('is the same in each version, so that earlier tasks are found again', () => {
		expect(idempotencyKey('execution', context, body)).toBe(
			'n8n-gw-2b5b8ddff8245fd48f0d86580110523cbee38c54419fa107546f72c7d2eb2e60',
		);
		expect(idempotencyKey('workflow', context, body)).toBe(
			'n8n-gw-c2fa3991bc5da4f662c4511404bf74d77bb81cae27fc05ba2c7131e7618c7b69',
		);
	});

	it('differs for another order of a list, and for null instead of an absent field', () => {
		const key = (input: Json) => idempotencyKey('workflow', context, { model: 'm', input });
		expect(key({ urls: ['b', 'a'] })).not.toBe(key({ urls: ['a', 'b'] }));
		expect(key({ list: [{ b: 1, a: 2 }] })).toBe(key({ list: [{ a: 2, b: 1 }] }));
		expect(key({ seed: null })).not.toBe(key({}));
	});

	it('in scope "workflow" is the same in every execution and for every item', () => {
		const other = { ...context, root: 'other', run: '4', itemIndex: 9 };
		expect(idempotencyKey('workflow', other, body)).toBe(idempotencyKey('workflow', context, body));
		expect(idempotencyKey('workflow', { ...context, nodeId: 'other' }, body)).not.toBe(
			idempotencyKey('workflow', context, body),
		);
	});
});
