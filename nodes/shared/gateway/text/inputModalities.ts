import type { TextModel } from '../endpoints/models';
import { object, text, type Reader } from '../util/shape';
import { ATTACHMENT_KINDS } from './formats/request';

const KNOWN: ReadonlySet<string> = new Set(['text', ...ATTACHMENT_KINDS]);

const words: Reader<string[]> = (value) =>
	[value].flat().flatMap((word) => text(word)?.trim().toLowerCase() ?? []);

// §2.1 does not show these fields: the names are those of other catalogues.
const record = object({ input_modalities: words, architecture: object({ input_modalities: words }) });

/**
 * What a model takes, as its catalogue record lists it: `text` and kinds of attachments.
 *
 * @returns `undefined` if the record has no such list, or one with other words
 */
export function inputModalities(model: TextModel): string[] | undefined {
	const { input_modalities: own, architecture } = record(model.record);
	const listed = own.length > 0 ? own : architecture.input_modalities;
	return listed.length > 0 && listed.every((word) => KNOWN.has(word)) ? listed : undefined;
}
