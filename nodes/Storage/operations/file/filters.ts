import type { StoredFile } from '../../../shared/gateway/endpoints/storage';
import { collection } from '../../../shared/params/groups';
import { choice, dateTime, filled, text } from '../../../shared/params/kinds';
import type { Values } from '../../../shared/params/parameter';

// An empty filter is refused: what is listed may be deleted next.
const declarations = {
	createdAfter: filled(
		dateTime({
			displayName: 'Created After',
			description: 'Only files that were created at this time or later',
		}),
	),
	createdBefore: filled(
		dateTime({
			displayName: 'Created Before',
			description: 'Only files that were created before this time',
		}),
	),
	fileName: filled(
		text({
			displayName: 'File Name',
			placeholder: 'e.g. invoice',
			description: 'Only files whose name contains this text (not case-sensitive)',
			whenEmpty: 'Enter a part of the name, or remove the filter.',
		}),
	),
	mimeType: filled(
		text({
			displayName: 'MIME Type',
			placeholder: 'e.g. image/',
			description: 'Only files whose MIME type begins with this text, e.g. image/ or image/png',
			whenEmpty: 'Enter the beginning of a MIME type, or remove the filter.',
		}),
	),
	source: filled(
		choice({
			displayName: 'Source',
			options: [
				{ name: 'AI Generation', value: 'ai_generation', description: 'Made by a model' },
				{ name: 'Import', value: 'import' },
				{ name: 'System', value: 'system' },
				{ name: 'User Upload', value: 'user_upload', description: 'Uploaded by a client' },
			],
			default: 'user_upload',
			description: 'Only files from this source',
		}),
	),
};

/** Filters of a list of files, by what its records say. The gateway has none (§4.17). */
export const filters = collection(declarations, {
	displayName: 'Filters',
	placeholder: 'Add Filter',
	description: 'Applied to the files that the gateway returns in one response',
});

/**
 * Reads the filters. A file passes when its record has the field, with such a value.
 *
 * @returns whether a file passes; `undefined` without filters
 * @throws {InvalidInputError} for an empty filter
 */
export function filterOf(given: Values<typeof declarations>): ((file: StoredFile) => boolean) | undefined {
	const { createdAfter, createdBefore, fileName, mimeType, source } = given;
	const wanted: Array<(file: StoredFile) => boolean> = [];
	if (createdAfter !== undefined) wanted.push((file) => created(file) >= createdAfter);
	if (createdBefore !== undefined) wanted.push((file) => created(file) < createdBefore);
	if (fileName !== undefined) wanted.push((file) => small(file.fileName).includes(small(fileName)));
	if (mimeType !== undefined) wanted.push((file) => small(file.mimeType).startsWith(small(mimeType)));
	if (source !== undefined) wanted.push((file) => file.source === source);
	if (wanted.length === 0) return undefined;
	return (file) => wanted.every((passes) => passes(file));
}

/** Unix milliseconds; NaN if unknown, which passes no comparison. */
function created({ createdAt }: StoredFile): number {
	return Date.parse(createdAt ?? '');
}

function small(text = ''): string {
	return text.trim().toLowerCase();
}
