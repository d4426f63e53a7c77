import { asNumber, asObject, asObjects, type JsonObject } from '../../shared/gateway/util/json';
import type { Adapter } from './types';

/** n8n's tracer, which logs the requests of a model with the execution. */
interface Tracer {
	options: { tokensUsageParser: unknown };
}

/** Makes n8n's tracer read tokens and cost with {@link tokensOf}. */
export function patchTokenUsage({ callbacks }: Adapter): void {
	if (!Array.isArray(callbacks)) return;
	for (const tracer of callbacks.filter(isTracer)) tracer.options.tokensUsageParser = tokensOf;
}

function isTracer(handler: unknown): handler is Tracer {
	return typeof asObject(asObject(handler)?.options)?.tokensUsageParser === 'function';
}

/**
 * The tokens of a request, for n8n's log. The SDK's own parser does not find those of streamed responses, so n8n
 * would show an estimate.
 *
 * @param result LangChain's result of a request
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
