import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** Three words or more: a text for people. Tests hold what happens, not its wording. */
const isSentence = (text) => text.trim().split(/\s+/).length >= 3;

const isPlain = (node) => /^(Identifier|MemberExpression|CallExpression|StringLiteral)$/.test(node.type);

/** Labels, which are texts however short they are. */
const LABELS = new Set(['displayName', 'action', 'description', 'placeholder', 'hint']);

const sentences = {
	shouldIgnore({ node, parent }) {
		if (parent?.type === 'ObjectProperty' && parent.value === node && LABELS.has(parent.key.name))
			return 'a label';
		if (node.type === 'StringLiteral' && isSentence(node.value)) return 'a sentence';
		if (node.type !== 'TemplateLiteral' || !node.expressions.every(isPlain)) return undefined;
		return isSentence(node.quasis.map(({ value }) => value.raw).join('x')) ? 'a sentence' : undefined;
	},
};

const isNamed = (property, name) => property.type === 'ObjectProperty' && property.key.name === name;

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

export const strykerPlugins = [
	declareValuePlugin(PluginKind.Ignore, 'sentences', sentences),
	declareValuePlugin(PluginKind.Ignore, 'descriptions', descriptions),
];
