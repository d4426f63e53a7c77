// Reads the results of StrykerJS, and the judged survivors.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = resolve(fileURLToPath(import.meta.url), '../../test/mutation/survivors');

const KILLED = new Set(['Killed', 'Timeout']);
const COUNTED = new Set([...KILLED, 'Survived', 'NoCoverage', 'RuntimeError']);

/**
 * The judged survivors: `code` is the mutated text in the source, or its first line; `to` the replacement,
 * if only that one is meant.
 *
 * @returns {Array<{ file: string, code: string, to?: string, why: string }>}
 */
export function judgements() {
	return readdirSync(folder)
		.filter((name) => name.endsWith('.json'))
		.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/**
 * @param {string} report path of a JSON report of StrykerJS
 * @returns {Array<{ file: string, line: number, code: string, to: string, mutator: string, isKilled: boolean }>} the mutants that count
 */
export function mutantsOf(report) {
	const { files } = JSON.parse(readFileSync(report, 'utf8'));
	return Object.entries(files).flatMap(([file, { source, mutants }]) => {
		const lines = source.split('\n');
		return mutants
			.filter(({ status }) => COUNTED.has(status))
			.map(({ location, replacement = '', mutatorName, status }) => ({
				file,
				line: location.start.line,
				code: textAt(lines, location),
				to: replacement,
				mutator: mutatorName,
				isKilled: KILLED.has(status),
			}));
	});
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
