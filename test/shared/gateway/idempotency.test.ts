import fc from 'fast-check';

import {
	idempotencyKey,
	MAX_IDEMPOTENCY_KEY_LENGTH,
	sendableKey,
} from '../../../nodes/shared/gateway/idempotency';
import { canonicalJson } from '../../../nodes/shared/gateway/json';

const place = { workflowId: 'w', nodeId: 'n', executionId: 'e', run: '0', itemIndex: 0 };
const body = { model: 'm', input: { prompt: 'p', n: 1 } };

describe('a key of the user’s', () => {
	it('is sent as it is where a header can carry it', () =>
		expect(sendableKey('order-7:b')).toBe('order-7:b'));
	it.each(['заказ-А', 'a b', 'a\nb', 'é', ''])('is sent as its digest where it cannot: %j', (key) => {
		expect(sendableKey(key)).toMatch(/^[\x21-\x7e]{1,255}$/);
	});
	it('stays unique', () => expect(sendableKey('заказ-А')).not.toBe(sendableKey('заказ-Б')));
});

describe('the idempotency key (§4.6)', () => {
	it('is the same for the same creation, whatever the order of its fields', () => {
		expect(idempotencyKey('execution', place, { input: { n: 1, prompt: 'p' }, model: 'm' })).toBe(
			idempotencyKey('execution', place, body),
		);
	});

	test.each([
		['execution', { executionId: 'other' }],
		['node', { nodeId: 'other' }],
		['run', { run: '1' }],
		['item', { itemIndex: 1 }],
		['workflow', { workflowId: 'other' }],
	])('differs for another %s', (_, other) => {
		expect(idempotencyKey('execution', { ...place, ...other }, body)).not.toBe(
			idempotencyKey('execution', place, body),
		);
	});

	it('differs for another body', () => {
		expect(idempotencyKey('execution', place, { ...body, model: 'x' })).not.toBe(
			idempotencyKey('execution', place, body),
		);
		expect(idempotencyKey('execution', place, { input: { n: '1' } })).not.toBe(
			idempotencyKey('execution', place, { input: { n: 1 } }),
		);
	});

	it('in scope "workflow" is the same in every execution and for every item', () => {
		const other = { ...place, executionId: 'other', run: '4', itemIndex: 9 };
		expect(idempotencyKey('workflow', other, body)).toBe(idempotencyKey('workflow', place, body));
		expect(idempotencyKey('workflow', { ...place, nodeId: 'other' }, body)).not.toBe(
			idempotencyKey('workflow', place, body),
		);
	});

	it('is short enough (§8) and plain ASCII for any input', () => {
		fc.assert(
			fc.property(fc.string(), fc.jsonValue(), (executionId, input) => {
				const key = idempotencyKey('execution', { ...place, executionId }, input);
				expect(key).toMatch(/^[\x21-\x7e]+$/);
				expect(key.length).toBeLessThanOrEqual(MAX_IDEMPOTENCY_KEY_LENGTH);
			}),
		);
	});

	it('canonical JSON says the same as JSON', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(JSON.parse(canonicalJson(value))).toStrictEqual(JSON.parse(JSON.stringify(value)));
			}),
		);
	});
});
