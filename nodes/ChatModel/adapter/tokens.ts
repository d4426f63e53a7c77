import { asNumber, asObject, asObjects, type JsonObject } from '../../shared/gateway/util/json';
import type { Adapter } from './types';

/** What writes the calls of a model into the execution. */
interface Tracer {
	options: { tokensUsageParser: unknown };
}

/** Lets n8n's log read tokens and cost as {@link tokensOf} does. */
export function patchTokenUsage({ callbacks }: Adapter): void {
	if (!Array.isArray(callbacks)) return;
	for (const tracer of callbacks.filter(isTracer)) tracer.options.tokensUsageParser = tokensOf;
}

function isTracer(handler: unknown): handler is Tracer {
	return typeof asObject(asObject(handler)?.options)?.tokensUsageParser === 'function';
}

/**
 * The tokens of a call, for n8n's log: the SDK's own reader finds those of streamed answers not, and n8n then
 * shows an estimate.
 *
 * @param result what LangChain says at the end of a call
 */
function tokensOf(result: JsonObject): JsonObject {
	const usage = asObject(asObject(result.llmOutput)?.tokenUsage);
	const promptTokens = asNumber(usage?.input_tokens ?? usage?.promptTokens) ?? 0;
	const completionTokens = asNumber(usage?.output_tokens ?? usage?.completionTokens) ?? 0;
	const [generations] = Array.isArray(result.generations) ? result.generations : [];
	const costRub = asNumber(asObject(asObjects(generations)[0]?.generationInfo)?.costRub);
	return {
		promptTokens,
		completionTokens,
		totalTokens: promptTokens + completionTokens,
		...(costRub === undefined ? {} : { costRub }),
	};
}
