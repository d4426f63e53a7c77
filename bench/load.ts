import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { installPackage, packageName, packPackage } from '../sandbox/n8n/package';
import { findRuntime, runtimeModules } from '../sandbox/n8n/runtime';
import { median, type Row } from './measure';

const ROUNDS = 21;

/** Modules that are loaded as n8n loads nodes, after n8n's own modules. */
type Candidate = string[];

/** The time in which n8n loads the package at its start, in a new process each time, and the size of the download. */
export async function load(): Promise<Row[]> {
	const folder = await mkdtemp(join(tmpdir(), 'ai-gateway-load-'));
	try {
		const tarball = await packPackage();
		await installPackage(tarball, folder);
		const candidates = [
			await ourNodes(join(folder, '.n8n', 'nodes', 'node_modules', packageName)),
			...n8nNodes(),
		];
		const [ours = NaN, http = NaN, openAi = NaN] = (await timesOf(candidates)).map(median);
		const ratio = (time: number) => `${(time / ours).toFixed(2)} ×`;
		const others = [`HTTP Request alone ${ratio(http)}`, `OpenAI alone ${ratio(openAi)}`];
		return [
			{ what: 'Loading all nodes', ours: `${ours.toFixed(0)} ms`, others },
			{ what: 'Packed size', ours: `${((await stat(tarball)).size / 1000).toFixed(0)} kB`, others: [] },
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function ourNodes(folder: string): Promise<Candidate> {
	const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	const { nodes, credentials } = manifest.n8n;
	return [...nodes, ...credentials].map((path) => join(folder, path));
}

function n8nNodes(): Candidate[] {
	return [
		[join(runtimeModules, 'n8n-nodes-base/dist/nodes/HttpRequest/HttpRequest.node.js')],
		[join(runtimeModules, '@n8n/n8n-nodes-langchain/dist/nodes/vendors/OpenAi/OpenAi.node.js')],
	];
}

async function timesOf(candidates: Candidate[]): Promise<number[][]> {
	const times = candidates.map((): number[] => []);
	// The first round fills the file system's cache.
	for (let round = -1; round < ROUNDS; round += 1) {
		for (const [index, files] of candidates.entries()) {
			const time = await timeOf(files);
			if (round >= 0) times[index]?.push(time);
		}
	}
	return times;
}

/** Loads the files and creates an object of each class, as n8n does. */
const script = `
require('n8n-workflow');
require('n8n-core');
const start = performance.now();
for (const file of process.argv.slice(1)) {
	for (const made of Object.values(require(file))) new made();
}
console.log(performance.now() - start);
process.exit();
`;

async function timeOf(files: string[]): Promise<number> {
	const { stdout } = await promisify(execFile)(findRuntime().node, ['-e', script, ...files], {
		// The package and the script must resolve the same modules: n8n's own.
		cwd: runtimeModules,
		env: { ...process.env, NODE_PATH: runtimeModules },
	});
	return Number(stdout.trim().split('\n').at(-1));
}
