import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

import { parse } from 'yaml';

import { readText, repository } from '../helpers/markdown';

// How the package gets to npm: by publish.yml, and in no other way.

interface Step {
	uses?: string;
	run?: string;
	with?: Record<string, unknown>;
	env?: Record<string, string>;
}

interface Job {
	permissions?: Record<string, string>;
	needs?: string[];
	steps?: Step[];
}

interface Workflow {
	permissions: Record<string, string>;
	jobs: Record<string, Job>;
}

const FOLDER = '.github/workflows';
const names = readdirSync(`${repository}/${FOLDER}`);
const textOf = (name: string): string => readText(`${FOLDER}/${name}`);
const workflow = (name: string): Workflow => parse(textOf(name)) as Workflow;
const stepsOf = (name: string): Step[] =>
	Object.values(workflow(name).jobs).flatMap(({ steps = [] }) => steps);
const runsIn = ({ steps = [] }: Job): string => steps.map(({ run = '' }) => run).join('\n');

describe.each(names)('the workflow %s', (name) => {
	it('names each action by its commit, with the version in a comment', () => {
		const uses = [...textOf(name).matchAll(/\buses: *(.+)$/gm)].map(([, action = '']) => action);
		const others = uses.filter((action) => !action.startsWith('./.github/'));
		expect(others).not.toStrictEqual([]);
		expect(others.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toStrictEqual(
			[],
		);
	});

	it('may read the repository, and leaves no token in the checkout', () => {
		expect(workflow(name).permissions).toStrictEqual({ contents: 'read' });
		const checkouts = stepsOf(name).filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
		expect(checkouts.length).toBeGreaterThan(0);
		for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
	});
});

it('all workflows use the same commit of an action', () => {
	const actions = names.flatMap((name) => stepsOf(name).flatMap(({ uses }) => uses ?? []));
	const versions = new Set(actions);
	expect(versions.size).toBe(new Set([...versions].map((action) => action.split('@')[0])).size);
});

describe('publish.yml', () => {
	const { jobs } = workflow('publish.yml');
	const [check = {}, publish = {}] = [jobs['check'], jobs['publish']];
	const step = ({ steps = [] }: Job, action: string): Step | undefined =>
		steps.find(({ uses = '' }) => uses.startsWith(`actions/${action}@`));

	it('lets one job publish, which runs nothing of the repository', () => {
		const others = Object.values(jobs).filter((job) => job !== publish);
		expect(others.filter(({ permissions }) => permissions)).toStrictEqual([]);
		expect(publish.permissions).toStrictEqual({ 'id-token': 'write' });
		expect(step(publish, 'checkout')).toBeUndefined();
		expect(runsIn(publish)).not.toMatch(/npm (ci|install|run)|npx|node /);
		expect(textOf('publish.yml').match(/secrets\.\w+/g)).toStrictEqual(['secrets.NPM_TOKEN']);
	});

	it('publishes, with provenance, the tarball that the checks have tested', () => {
		const tarball = check.steps?.findIndex(({ run }) => run?.includes('scripts/tested-tarball.ts')) ?? -1;
		expect(check.steps?.[tarball]?.run).toMatch(/^cp .* package\.tgz$/);
		expect(check.steps?.slice(0, tarball)).toContainEqual({ run: 'bash .ci/run' });
		expect(step(check, 'upload-artifact')?.with).toMatchObject({ name: 'package', path: 'package.tgz' });
		expect(publish.needs).toStrictEqual(['check', 'versions']);
		expect(step(publish, 'download-artifact')?.with).toStrictEqual({ name: 'package' });
		expect(runsIn(publish)).toMatch(/^npm publish \.\/package\.tgz --access public --provenance$/m);
	});

	it('publishes no package without an owner', () => {
		expect(runsIn(check)).toContain('npm run release -- --check\n');
	});

	it('takes nothing from the caches of other workflows', () => {
		const setups = [check, publish].map((job) => step(job, 'setup-node')?.with);
		for (const setup of setups) {
			expect(setup).toStrictEqual({ 'node-version': 24, 'package-manager-cache': false });
		}
	});
});

it('npm publish on a computer fails before anything is sent, and says what to run', () => {
	const { status, stdout } = spawnSync('npm', ['publish', '--dry-run', '--ignore-scripts=false'], {
		cwd: repository,
		encoding: 'utf8',
		shell: process.platform === 'win32',
	});
	expect(status).toBe(1);
	expect(stdout).toContain('npm run release');
});
