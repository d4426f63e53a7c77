import { parse } from 'yaml';
import { readText } from '../helpers/markdown';

// Publishing as n8n asks of community nodes: from GitHub Actions, with provenance, without a stored token.

interface Job {
	needs?: string[];
	permissions?: Record<string, string>;
	steps: Array<{ uses?: string; run?: string; with?: Record<string, unknown> }>;
}

const file = '.github/workflows/publish.yml';
const workflow = parse(readText(file)) as {
	on: Record<string, unknown>;
	permissions: Record<string, string>;
	jobs: Record<'check' | 'publish', Job>;
};
const { check, publish } = workflow.jobs;
const commands = ({ steps }: Job): string => steps.map(({ run = '' }) => run).join('\n');

it('starts only with a version tag', () => {
	expect(workflow.on).toStrictEqual({ push: { tags: ['v*.*.*'] } });
});

it('uses no stored token', () => {
	expect(readText(file)).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN/);
});

it('gives an identity token to the job that publishes, and to no other', () => {
	expect(workflow.permissions).toStrictEqual({ contents: 'read' });
	expect(check.permissions).toBeUndefined();
	expect(publish.permissions).toStrictEqual({ contents: 'read', 'id-token': 'write' });
});

it('publishes what has passed all checks, with the npm that trusted publishing needs', () => {
	expect(publish.needs).toStrictEqual(['check', 'versions']);
	expect(commands(check)).toContain('bash .ci/run');
	expect(commands(publish).split('\n')).toStrictEqual([
		'',
		'',
		'npm install --global npm@^11.5.1',
		'npm ci',
		'npx n8n-node release',
	]);
});

it('is the only way: npm refuses to publish without provenance', () => {
	const manifest = JSON.parse(readText('package.json')) as { publishConfig: unknown };
	expect(manifest.publishConfig).toStrictEqual({ access: 'public', provenance: true });
});
