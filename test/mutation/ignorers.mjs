import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Three words or more: a text for people. Tests hold what happens, not its wording. */
const isSentence = (text) => text.trim().split(/\s+/).length >= 3;

const isNamed = (property, name) => property.type === 'ObjectProperty' && property.key.name === name;

const isPlain = (node) => /^(Identifier|MemberExpression|CallExpression|StringLiteral)$/.test(node.type);

/** Labels, which are texts however short they are. */
const LABELS = new Set([
	'displayName',
	'action',
	'description',
	'placeholder',
	'hint',
	'groupLabel',
	'multipleValueButtonText',
]);

/** Whether an object is an option of a list in the panel: a label and what is stored. */
const isOption = (object) =>
	object?.properties.length > 1 && object.properties.some((property) => isNamed(property, 'value'));

const isLabel = (property, object) =>
	LABELS.has(property.key.name) || (isNamed(property, 'name') && isOption(object));

const sentences = {
	shouldIgnore({ node, parent, parentPath }) {
		const isValue = parent?.type === 'ObjectProperty' && parent.value === node;
		if (isValue && isLabel(parent, parentPath.parent)) return 'a label';
		if (node.type === 'StringLiteral' && isSentence(node.value)) return 'a sentence';
		if (node.type !== 'TemplateLiteral' || !node.expressions.every(isPlain)) return undefined;
		return isSentence(node.quasis.map(({ value }) => value.raw).join('x')) ? 'a sentence' : undefined;
	},
};

const descriptions = {
	/** What the panel shows is data; the tests of the stored surface and of the editor hold it. */
	shouldIgnore({ node }) {
		const isDescription =
			(node.type === 'ClassProperty' && node.key.name === 'description') ||
			(node.type === 'ObjectExpression' &&
				node.properties.some((property) => isNamed(property, 'displayName')) &&
				node.properties.some((property) => isNamed(property, 'type')));
		return isDescription ? 'a description of the panel' : undefined;
	},
};

const part = Number(process.env.MUTATION_SAMPLE ?? 1);
const seed = process.env.MUTATION_SEED ?? '';

/** A function, a member of a class, or another statement of a file: sampled as a whole. */
const isUnit = ({ node, parent }) =>
	parent?.type === 'ClassBody' ||
	(/^(Program|Export\w+Declaration)$/.test(parent?.type) &&
		!/^(Class|Export\w+)Declaration$/.test(node.type));

/** A number in [0, 1) that a unit always has with the same seed. */
function drawn({ start, end }) {
	let hash = 2_166_136_261;
	for (const digit of `${seed}${start}:${end}`)
		hash = Math.imul(hash ^ digit.charCodeAt(0), 16_777_619) >>> 0;
	// The last bits of short texts are alike.
	return (Math.imul(hash ^ (hash >>> 15), 2_246_822_507) >>> 0) / 2 ** 32;
}

const sample = {
	/** With MUTATION_SAMPLE, e.g. 0.2, only that part of the code is mutated. */
	shouldIgnore: (path) => (isUnit(path) && drawn(path.node) >= part ? 'not in the sample' : undefined),
};

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'sentences', sentences),
	declareValuePlugin(PluginKind.Ignore, 'descriptions', descriptions),
	declareValuePlugin(PluginKind.Ignore, 'sample', sample),
];
