import type { IExecuteFunctions } from 'n8n-workflow';

import { redact } from '../gateway/errors/secrets';
import { inHtml } from '../gateway/util/text';

/** The hints at the output of a node, each once: an agent may ask for several items at a time. */
export class Hints {
	private readonly shown = new Set<string>();
	private readonly late: Array<() => string | undefined> = [];

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

	/** Adds a text that is known at the end of the run, if there is one. */
	atEnd(text: () => string | undefined): void {
		this.late.push(text);
	}

	end(): void {
		for (const text of this.late) {
			const found = text();
			if (found !== undefined) this.add(found);
		}
	}
}
