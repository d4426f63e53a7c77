import { InvalidInputError } from '../gateway/errors/errors';
import type { Json } from '../gateway/util/json';

/**
 * Checks that no data URL in `value` is empty: models would make, and charge, something without the file. n8n has no bytes
 * in `$binary` where it keeps files on disk.
 *
 * @throws {InvalidInputError}
 */
export function checkDataUrls(value: Json | undefined): void {
	const [url] = /"data:[^",\\]*,\s*"/i.exec(JSON.stringify(value ?? null)) ?? [];
	if (url === undefined) return;
	throw new InvalidInputError(
		`The data URL ${url} has no content`,
		'An expression with $binary gives no bytes. For a file of the item, use a binary field: Input Files, Attachments, or Binary Field as the source.',
	);
}
