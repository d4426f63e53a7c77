import { asObject, asText, objectIn } from '../../shared/gateway/util/json';
import { withContent } from '../content';
import { decodeReasoning, encodeReasoning, type KeptReasoning } from '../reasoning';
import type { Generation } from './types';

/** Stores reasoning where n8n's agent keeps it between tool calls. */
export function addReasoning({ message }: Generation, kept: KeptReasoning): void {
	if (!message) return;
	message.additional_kwargs = {
		...asObject(message.additional_kwargs),
		reasoning_content: encodeReasoning(kept),
	};
}

/** A copy of a message with its stored reasoning as a part, which the SDK passes on; others are returned unchanged. */
export function withReasoningPart<M extends object>(message: M): M {
	const stored = asObject(Reflect.get(message, 'additional_kwargs'))?.reasoning_content;
	if (!decodeReasoning(stored)) return message;
	const content: unknown = Reflect.get(message, 'content');
	const text = asText(content);
	const parts: unknown[] = Array.isArray(content)
		? content
		: text === undefined
			? []
			: [{ type: 'text', text }];
	const part = { type: 'non_standard', value: objectIn(stored) };
	return withContent(message, [...parts, part]);
}
