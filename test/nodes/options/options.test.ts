import { ROWS, testEach } from './cells';
import { PLACES, places } from './places';

// What an option does, in each place that shows it: an operation, or the chat model with an API format.

it('each place has parameters', () => {
	expect(places.map(({ name }) => name).filter((name) => !(name in PLACES))).toStrictEqual([]);
});

it('each option has a row', () => {
	const all = new Set(places.flatMap(({ options }) => options));
	expect([...all].filter((name) => !(name in ROWS))).toStrictEqual([]);
	expect(Object.keys(ROWS).filter((name) => !all.has(name))).toStrictEqual([]);
});

testEach(places.filter(({ node }) => node === 'textGeneration'));
