import { Outcomes } from '../../../../nodes/shared/gateway/client/rate/outcomes';

/** Outcomes, one each second: `+` is a request that was taken, `-` one that was refused. */
function outcomesOf(text: string): Outcomes {
	const outcomes = new Outcomes();
	for (const [second, sign] of [...text].entries()) outcomes.add(second, sign === '+');
	return outcomes;
}

it.each([
	['', undefined],
	['++++', undefined],
	['+++++-', false],
	['+++++--+', true],
	['-----++', false],
	['-----+++++', true],
	['-----++++++++++', true],
	[`${'-'.repeat(20)}${'+'.repeat(9)}`, false],
	[`${'-'.repeat(20)}${'+'.repeat(10)}`, true],
	[`${'+'.repeat(20)}${'-'.repeat(11)}+`, false],
])('after "%s", the gateway takes what is sent after 4 s, and most of the last 20: %s', (text, expected) => {
	expect(outcomesOf(text).areTaken(4)).toBe(expected);
});
