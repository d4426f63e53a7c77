import type { JsonObject } from '../../util/json';

const MARKS: ReadonlyMap<unknown, string> = new Map([
	['tool_use', 'call'],
	['function_call', 'call'],
	['text', 'text'],
	['message', 'text'],
]);

/** The reasoning in the parts of a completion, with marks for the calls and texts before and between it. */
export function reasoningIn(
	parts: readonly JsonObject[],
	isReasoning: (part: JsonObject) => boolean,
): JsonObject[] {
	const end = parts.map(isReasoning).lastIndexOf(true) + 1;
	return parts.slice(0, end).flatMap((part) => {
		const mark = MARKS.get(part.type);
		if (isReasoning(part)) return [part];
		return mark === undefined ? [] : [{ mark }];
	});
}

/** Reasoning with the text and the calls where they stood: vendors reject another order. */
export function withReasoning(
	reasoning: readonly JsonObject[],
	text: readonly JsonObject[],
	calls: readonly JsonObject[],
): JsonObject[] {
	const left = { text: [...text], call: [...calls] };
	const placed = reasoning.flatMap((part) => {
		if (part.mark === 'text') return left.text.splice(0);
		return part.mark === 'call' ? left.call.splice(0, 1) : [part];
	});
	return [...placed, ...left.text, ...left.call];
}
