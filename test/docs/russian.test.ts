import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { AiGatewayApi } from '../../credentials/AiGatewayApi.credentials';
import { filesOf, linksIn, readText, repository } from '../helpers/markdown';
import { choices, descriptions, fields } from '../helpers/panel';

// docs/ru.md says what the English pages and the nodes say.

const russian = readText('docs/ru.md');
const english = [
	'README.md',
	...readdirSync(join(repository, 'docs'))
		.filter((name) => /^(?!ru\.).*\.md$/.test(name))
		.map((name) => `docs/${name}`),
].map(readText);

/** Words in italics; those that lead to another place, such as *Settings → Community nodes*, one by one. */
const italics = (text: string): string[] =>
	[...text.matchAll(/(?<![*\w])\*([^*\n|]+)\*(?![*\w])/g)].flatMap(([, words = '']) => words.split(' → '));
const codes = (text: string): string[] =>
	[...text.matchAll(/(?<!`)`([^`\n]+)`/g)].map(([, code = '']) => code);
const blocks = (text: string): string[] =>
	[...text.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);

const { displayName, properties } = new AiGatewayApi();

/** What the editor shows of the nodes and the credential. */
const labels = new Set([
	displayName,
	...properties.map((property) => property.displayName),
	...descriptions.map((node) => node.displayName),
	...fields.map(({ property }) => property.displayName),
	...choices.flatMap(({ choice }) => [choice.name, choice.action ?? '']),
]);

it('names fields, options and actions as the editor shows them, and of n8n what the English pages name', () => {
	const words = italics(russian);
	expect(new Set(words.filter((word) => labels.has(word))).size).toBeGreaterThan(15);
	const known = new Set([...labels, ...english.flatMap(italics), 'Gateway']);
	expect(words.filter((word) => !known.has(word))).toStrictEqual([]);
});

it('has the commands of the README', () => {
	const [commands, ...others] = blocks(russian);
	expect(others).toStrictEqual([]);
	expect(blocks(readText('README.md'))).toContain(commands);
});

it('has fields, values and addresses of the English pages', () => {
	const known = new Set(
		english.flatMap((text) => codes(text).flatMap((code) => [code, ...code.split(/[:=] ?/)])),
	);
	expect(codes(russian).length).toBeGreaterThan(10);
	expect(codes(russian).filter((code) => !known.has(code) && !known.has(`${code}: true`))).toStrictEqual([]);
});

it('has messages of errors as the nodes show them', () => {
	const sources = filesOf(/\.ts$/, 'nodes').map(readText).join('\n');
	const messages = [...russian.matchAll(/^\| ((?:The|No|There) [^|]+) \|/gm)].map(
		([, message = '']) => message,
	);
	expect(messages).toHaveLength(6);
	expect(messages.filter((message) => !sources.includes(`'${message}`))).toStrictEqual([]);
});

it('links to the English pages and to the examples, and the README links to it in its first lines', () => {
	const links = linksIn(russian);
	const wanted = [
		'../README.md',
		'hosting.md',
		'costs.md',
		'retry.md',
		'troubleshooting.md',
		'../examples/README.md',
	];
	expect(links.sort()).toStrictEqual(wanted.sort());
	expect(readText('README.md').split('\n').slice(0, 5).join('\n')).toContain('[docs/ru.md]');
});

it('is a text in Russian of about 700 words', () => {
	const words = russian.match(/[\p{Script=Cyrillic}]+/gu) ?? [];
	expect(words.length).toBeGreaterThan(400);
	expect(russian.split(/\s+/).length).toBeLessThan(800);
});
