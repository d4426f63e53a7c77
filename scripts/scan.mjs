// Runs the official scanner of n8n's verified programme on the source and on the packed tarball, as n8n does
// when a package is submitted. Warnings count as findings here. Also checks the files in the tarball.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';
import glob from 'fast-glob';
import {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { packPackage } from '../sandbox/n8n/package.ts';

const root = resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const allowed = ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'];
const problems = [];

/** Runs the scanner, then its configuration again, because its result omits warnings. */
async function scan(title, directory, patterns) {
	const result = await analyzePackage(directory, patterns);
	if (!result.passed) problems.push(`${title}: ${result.message}\n${result.details ?? ''}`);
	const eslint = new ESLint({
		cwd: directory,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
	});
	const files = glob.sync(patterns, { cwd: directory, absolute: true, ignore: ['node_modules/**'] });
	const reports = await eslint.lintFiles(files);
	const warnings = reports.reduce((count, { warningCount }) => count + warningCount, 0);
	if (files.length === 0) problems.push(`${title}: nothing to scan`);
	if (warnings > 0)
		problems.push(
			`${title}: ${warnings} warnings\n${(await eslint.loadFormatter('stylish')).format(reports)}`,
		);
	console.log(
		`${title}: ${files.length} files, ${result.passed && warnings === 0 ? 'no findings' : 'FINDINGS'}`,
	);
}

const work = mkdtempSync(join(tmpdir(), 'gateway-scan-'));
try {
	// The one that the end-to-end tests install.
	const tarball = await packPackage();
	execFileSync('tar', ['-xzf', tarball, '-C', work]);
	const content = readdirSync(join(work, 'package')).sort();
	if (content.join() !== allowed.join())
		problems.push(`The tarball holds ${content.join(', ')}, not ${allowed.join(', ')}`);
	console.log(`tarball: ${(statSync(tarball).size / 1000).toFixed(1)} kB: ${content.join(', ')}`);
	await scan('source', root, SOURCE_FILE_PATTERNS);
	await scan('tarball', join(work, 'package'), ['**/*.js', 'package.json']);
} finally {
	rmSync(work, { recursive: true, force: true });
}

if (problems.length > 0) {
	console.error(problems.join('\n\n'));
	process.exit(1);
}
