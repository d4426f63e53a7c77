import type { IExecuteFunctions } from 'n8n-workflow';

import { redact } from '../gateway/errors/secrets';
import { inHtml } from '../gateway/util/text';

/** The hints at the output of a node, each once: an agent may ask for several items at a time. */
export class Hints {
	private readonly shown = new Set<string>();

	/** @param secrets texts to remove */
	constructor(
		private readonly context: Pick<IExecuteFunctions, 'addExecutionHints'>,
		private readonly secrets: Iterable<string>,
	) {}

	add(text: string): void {
		const message = inHtml(redact(text, [...this.secrets]));
		if (this.shown.has(message)) return;
		this.shown.add(message);
		this.context.addExecutionHints({ message, location: 'outputPane' });
	}
}
