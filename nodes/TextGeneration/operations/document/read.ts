import { definePreset } from '../text/preset';

/** Asks a model about a document (§4.2 `file`). */
export const read = definePreset({
	displayName: 'Read',
	action: 'Read a document',
	description:
		'Extract the text of a document such as a PDF, or the data in it, from a binary field or a URL: returns the text and the cost',
	toolDescription:
		'Extracts the text of the document at a URL, such as a PDF, or answers a question about it. Returns the text and the cost in rubles.',
	kind: 'file',
	exampleUrl: 'https://example.com/invoice.pdf',
	prompt: 'Extract the text of this document. Return only the text.',
	promptHint: "What to get from the document. For data of an invoice or a form, set 'Output Format' to JSON.",
});
