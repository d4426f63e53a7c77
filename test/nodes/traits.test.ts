import type { INodeParameters } from 'n8n-workflow';

import { writtenDigest } from '../../nodes/shared/run/charge/keys';
import { declarations, optionsIn, type Declared } from '../helpers/declared';

// Facts that stand on declarations, and what follows from them.

/** All declared parameters, by their paths: one that several operations have is there several times. */
const all = declarations.flatMap(({ place, declared }) =>
	optionsIn(declared).map((one) => ({ ...one, place, declared, name: one.path.join('.') })),
);

/** Stored parameters with a value at a path. */
function storedAt([name = '', ...below]: readonly string[], value: string): INodeParameters {
	return { [name]: below.length === 0 ? value : storedAt(below, value) };
}

it.each(declarations)('$place: an edit counts unless the declaration says no', ({ declared }) => {
	const written = ({ path }: Declared, value: string) => writtenDigest(storedAt(path, value), declared);
	const found = optionsIn(declared);
	expect(found.length).toBeGreaterThan(0);
	const uncounted = found.filter((one) => written(one, 'a') === written(one, 'b'));
	const declaredSo = found.filter(({ traits }) => traits.changesRequest === false);
	const names = (list: Declared[]) => list.map(({ path }) => path.join('.'));
	expect(names(uncounted)).toStrictEqual(names(declaredSo));
});

it('a parameter that is not declared counts, and so does an option', () => {
	const [first] = declarations;
	const written = (stored: object) => writtenDigest(stored, first?.declared ?? {});
	const digests = [{}, { old: 1 }, { options: { old: 1 } }, { options: { constructor: 1 } }].map(written);
	expect(new Set(digests).size).toBe(digests.length);
});

// Nobody drops one, or adds one, without a look at this list.
it.each<[string, (one: Declared) => boolean, string]>([
	[
		'changes no request',
		({ traits }) => traits.changesRequest === false,
		`downloadResults options.binaryPropertyName options.callbackUrl options.concurrency options.dryRun
		options.fallbackModels options.fileName options.includeInput options.maxCostRub options.maxPriceRub
		options.maxRetries options.maxTokens options.maxWait options.rateLimitWait options.stream options.timeout
		simplify toolDescription waitStrategy`,
	],
	[
		"is not for an agent's model",
		({ traits }) => traits.byUserOnly === true,
		'options.maxCostRub options.maxPriceRub',
	],
	[
		'must not be left empty by an expression',
		({ traits }) => traits.mustBeSet !== undefined,
		`options.builtIn.maxToolCalls options.callbackUrl options.idempotencyKey options.maxTokens
		options.reasoning.reasoningMaxTokens`,
	],
	[
		'is not listed for one quick request',
		({ traits }) => traits.forLongRuns === true,
		'options.concurrency options.rateLimitWait',
	],
])('%s: in all operations that have it', (_, has, names) => {
	const expected = names.split(/\s+/);
	expect([...new Set(all.filter(has).map(({ name }) => name))].sort()).toStrictEqual(expected);
	const without = all.filter((one) => expected.includes(one.name) && !has(one));
	expect(without.map(({ place, name }) => `${place}: ${name}`)).toStrictEqual([]);
});

it('display conditions name parameters that are there', () => {
	const conditions = all.flatMap(({ place, declared, path, description }) => {
		const { show = {}, hide = {} } = description.displayOptions ?? {};
		const beside = optionsIn(declared).filter((one) => one.path.length === path.length);
		const known = [...beside.map((one) => one.path.at(-1)), ...Object.keys(declared).map((one) => `/${one}`)];
		const named = Object.keys({ ...show, ...hide }).filter((one) => one !== '@tool');
		return named.map((one) => ({ condition: `${place}: ${one}`, isKnown: known.includes(one) }));
	});
	expect(conditions.length).toBeGreaterThan(50);
	expect(conditions.filter(({ isKnown }) => !isKnown)).toStrictEqual([]);
});
