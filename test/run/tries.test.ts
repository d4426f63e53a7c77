import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { Tries, type StoredTries } from '../../nodes/shared/run/tries';

// How n8n runs a node again with Retry On Fail.

const failed = [{ json: { error: { message: 'no' } } }];

/** The tries of a node, one after the other. */
function triesOf(settings: Partial<INode>, functions: object = { isToolExecution: () => false }) {
	const context = { getNode: () => ({ type: 'n8n-nodes-ai-gateway.mediaTask', ...settings }), ...functions };
	const stored: StoredTries = { tries: 0 };
	return { stored, next: () => new Tries(context as unknown as IExecuteFunctions, stored) };
}

it.each([
	[undefined, 3],
	[0, 3],
	[1, 2],
	[2, 2],
	[5, 5],
	[9, 5],
	[-1, 2],
])('with Max Tries %j there are %d, also when the first item is an error', (maxTries, count) => {
	const { next } = triesOf({ retryOnFail: true, ...(maxTries === undefined ? {} : { maxTries }) });
	const runsAgain = Array.from({ length: count }, () => next().runsAgainAfter(failed));
	expect(runsAgain).toStrictEqual(Array.from({ length: count }, (_, index) => index < count - 1));
});

it.each([{}, { retryOnFail: false, maxTries: 5 }])('without Retry On Fail there is one: %j', (settings) => {
	const only = triesOf(settings).next();
	expect([only.isRetried, only.mayFollowError, only.runsAgainAfter(failed)]).toStrictEqual([
		false,
		false,
		false,
	]);
});

it.each([
	[failed, true],
	[[{ json: { error: null } }], false],
	[[{ json: { error: false } }], false],
	[[{ json: {} }, ...failed], false],
	[[], false],
])('the output %j runs the node again: %j', (outputs, expected) => {
	expect(triesOf({ retryOnFail: true }).next().runsAgainAfter(outputs)).toBe(expected);
});

it('an agent that calls the node as its tool does not run it again after an error item', () => {
	const tool = triesOf({ retryOnFail: true }, { isToolExecution: () => true }).next();
	expect(tool.runsAgainAfter(failed)).toBe(false);
});

it('a try that throws after one with an error item is not counted', () => {
	const { next } = triesOf({ retryOnFail: true, maxTries: 2 });
	next().runsAgainAfter(failed);
	next().throws();
	expect(next().runsAgainAfter(failed)).toBe(false);
	const again = triesOf({ retryOnFail: true, maxTries: 3 });
	again.next().runsAgainAfter(failed);
	again.next().throws();
	expect(again.next().runsAgainAfter(failed)).toBe(true);
});

it('the tries of a node that runs after a pause are counted from 1 again', () => {
	const { next } = triesOf({ retryOnFail: true, maxTries: 2 });
	next();
	next().restart();
	expect(next().runsAgainAfter(failed)).toBe(true);
});
