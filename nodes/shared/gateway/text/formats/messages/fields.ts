import { field, type WireFields } from '../fields';

/** The options of the messages format (§4.3). */
export const fields = {
	maxTokens: field('max_tokens', 'integer', { min: 1 }),
	temperature: field('temperature', 'number'),
	topP: field('top_p', 'number'),
	topK: field('top_k', 'integer', { min: 0 }),
	stop: field('stop_sequences', 'texts'),
	thinking: field('thinking', 'object'),
} satisfies WireFields;
