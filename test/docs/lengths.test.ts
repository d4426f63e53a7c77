import { readdirSync } from 'node:fs';

import { filesOf, readText } from '../helpers/markdown';

// Pages that people read from beginning to end stay short. Only to be lowered.

const API = 'docs/gateway-api.md';
const pages = readdirSync('docs')
	.filter((name) => name.endsWith('.md'))
	.map((name) => `docs/${name}`)
	.filter((path) => path !== API);

test.each<[words: number, ...pages: string[]]>([
	[1_650, 'README.md'],
	[1_100, 'CONTRIBUTING.md'],
	[3_000, API],
	[10_000, 'README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages],
])('at most %i words: %s …', (most, ...paths) => {
	const words = paths.map((path) => readText(path).split(/\s+/).filter(Boolean).length);
	expect(words.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(most);
});

it('each section of the API that is cited is on its page', () => {
	const sections = [...readText(API).matchAll(/^##+ ([\d.]+?)\.? /gm)].map(([, number]) => number);
	const cited = filesOf(/\.(ts|mjs|md)$/).flatMap((file) =>
		[...readText(file).matchAll(/§ ?(\d+(?:\.\d+)?)/g)].map(([, number]) => ({ file, number })),
	);
	expect(cited.length).toBeGreaterThan(200);
	expect(cited.filter(({ number }) => !sections.includes(number))).toStrictEqual([]);
});
