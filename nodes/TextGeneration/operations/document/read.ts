import { definePreset } from '../text/preset';

export const read = definePreset({
	displayName: 'Read',
	action: 'Read a document',
	description:
		'Extract the text of documents such as PDFs, or the data in them, from binary fields or URLs: returns the text and the cost',
	toolDescription:
		'Extracts the text of the document at a URL (separate several with commas), such as a PDF, or answers a question about it. Returns the text and the cost in rubles.',
	kind: 'file',
	exampleUrl: 'https://example.com/invoice.pdf',
	prompt: 'Extract the text of this document. Return only the text.',
	promptHint: "What to get from the document. For data of an invoice or a form, set 'Output Format' to JSON.",
});
