// Reads the results of StrykerJS, and the judged survivors.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(fileURLToPath(import.meta.url), '../../test/mutation/survivors');

const COUNTED = new Set(['Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError']);

/**
 * Whether a mutant was killed: by a test, by a test file that cannot be loaded because of an error in the source, or by
 * StrykerJS's count of steps, which ends an endless loop. Time that is over proves nothing: the machine may be slow.
 */
const isKilled = ({ status, statusReason = '' }) =>
	status === 'Killed' ||
	(status === 'RuntimeError' && /^\s+at .*\/(nodes|credentials)\//m.test(statusReason)) ||
	(status === 'Timeout' && statusReason.startsWith('Hit limit'));

/** The judged survivors: `code` is the mutated text, or its first line; `to` the replacement, if only that one is meant. */
export function judgements() {
	return readdirSync(folder)
		.filter((name) => name.endsWith('.json'))
		.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** The mutants that count, in a JSON report of StrykerJS. */
export function mutantsOf(report) {
	const { files } = JSON.parse(readFileSync(report, 'utf8'));
	return Object.entries(files).flatMap(([file, { source, mutants }]) => {
		const lines = source.split('\n');
		return mutants
			.filter(({ status }) => COUNTED.has(status))
			.map((mutant) => ({
				file,
				line: mutant.location.start.line,
				code: textAt(lines, mutant.location),
				to: mutant.replacement ?? '',
				mutator: mutant.mutatorName,
				isKilled: isKilled(mutant),
				isOutOfTime: mutant.status === 'Timeout' && !isKilled(mutant),
			}));
	});
}

/**
 * Lets the next run try those mutants again that were not killed: StrykerJS reuses the result of a mutant that is
 * evaluated while its module loads, also when there are new tests.
 */
export function keepKilled(path) {
	if (!existsSync(path)) return;
	const report = JSON.parse(readFileSync(path, 'utf8'));
	for (const file of Object.values(report.files)) file.mutants = file.mutants.filter(isKilled);
	writeFileSync(path, JSON.stringify(report));
}

/** Whether a judgement applies to this mutant. */
export function isAbout({ file, code, to }, mutant) {
	const [firstLine] = mutant.code.split('\n');
	return (
		file === mutant.file &&
		(code === mutant.code || code.trim() === firstLine.trim()) &&
		(to === undefined || to === mutant.to)
	);
}

function textAt(lines, { start, end }) {
	const text = lines.slice(start.line - 1, end.line);
	text[text.length - 1] = text.at(-1)?.slice(0, end.column - 1) ?? '';
	text[0] = text[0]?.slice(start.column - 1) ?? '';
	return text.join('\n');
}
