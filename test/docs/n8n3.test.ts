import { filesOf, readText } from '../helpers/markdown';

// Nothing that n8n 3.0 removes is used, nor recommended. The end-to-end tests ask n8n itself (e2e/examples.test.ts).

const texts = ['nodes', 'credentials', 'examples', 'docs']
	.flatMap((folder) => filesOf(/\.(ts|json|md|yml)$/, folder))
	.concat('README.md')
	.map((file) => ({ file, text: readText(file) }));

const filesWith = (pattern: RegExp): string[] =>
	texts.flatMap(({ file, text }) => (pattern.test(text) ? [file] : []));

it('WEBHOOK_URL, the old name of the variable, stands nowhere without the new one', () => {
	const old = filesWith(/(?<!N8N_)WEBHOOK_URL/);
	expect(old).toContain('docs/hosting.md');
	expect(filesWith(/N8N_WEBHOOK_URL/)).toStrictEqual(expect.arrayContaining(old));
});

it('no expression uses $getPairedItem, and no node has a color', () => {
	expect(filesWith(/\$getPairedItem\(|defaults: \{[^}]*color/)).toStrictEqual([]);
});
