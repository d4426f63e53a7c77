/** Beginnings of conversations that are cached, so that they cost less in later requests (§4.2 `cache_control`). */
import { createHash } from 'node:crypto';
import { inputTokens } from './generate';
import type { TextCall } from './types';

/** Shorter beginnings are not cached. */
const minTokens = 1_000;

export class PromptCache {
	private readonly kept = new Set<string>();

	/**
	 * Keeps the marked beginnings of a conversation.
	 *
	 * @returns the tokens of its longest beginning that had been kept before
	 */
	use(account: string, call: TextCall): number {
		const beginnings = call.messages.map((message, index) => {
			const beginning = { ...call, messages: call.messages.slice(0, index + 1) };
			const texts = beginning.messages.map(({ role, text, attachments }) => [role, text, attachments]);
			const content = JSON.stringify([account, call.model, call.tools, texts]);
			return {
				key: createHash('sha256').update(content).digest('hex'),
				tokens: inputTokens(beginning),
				isMarked: message.isCachePoint === true,
			};
		});
		const cached = beginnings.findLast(({ key }) => this.kept.has(key))?.tokens ?? 0;
		for (const { key, tokens, isMarked } of beginnings) {
			if (isMarked && tokens >= minTokens) this.kept.add(key);
		}
		return cached;
	}

	clear(): void {
		this.kept.clear();
	}
}
