import { filesOf, readText } from '../helpers/markdown';

// What n8n's verification guidelines ask for and n8n's linter does not check.

const manifest = JSON.parse(readText('package.json')) as Record<string, unknown>;

it('the license is MIT', () => {
	expect(manifest['license']).toBe('MIT');
	expect(readText('LICENSE')).toMatch(/^MIT License\n/);
});

it('there is one service: one credential', () => {
	expect(manifest['n8n']).toMatchObject({ credentials: ['dist/credentials/AiGatewayApi.credentials.js'] });
});

describe('texts are in English', () => {
	const shipped = [
		...filesOf(/\.(ts|json)$/, 'nodes'),
		...filesOf(/\.ts$/, 'credentials'),
		...filesOf(/\.json$/, 'examples'),
		...filesOf(/\.md$/, 'docs'),
		'README.md',
		'CHANGELOG.md',
		'CONTRIBUTING.md',
		'SECURITY.md',
	];

	it('in more than a hundred files', () => {
		expect(shipped.length).toBeGreaterThan(100);
	});

	it('no letter is of another script than Latin, except Greek signs such as μ', () => {
		const foreign = shipped.flatMap((file) =>
			[...readText(file).matchAll(/[^\P{L}\p{Script=Latin}\p{Script=Greek}]+/gu)].map(
				([letters]) => `${file}: ${letters}`,
			),
		);
		expect(foreign).toStrictEqual([]);
	});
});
