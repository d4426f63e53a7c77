import { accumulateTokenUsage, type IExecuteFunctions } from 'n8n-workflow';

import type { Usage } from '../gateway/text/formats/completion';

/** Records the tokens of a request with the execution, where n8n can and the format reports them. */
export function recordTokens(context: IExecuteFunctions, { inputTokens, outputTokens }: Usage): void {
	if (inputTokens === null && outputTokens === null) return;
	// An older n8n does not have the function.
	if (typeof accumulateTokenUsage !== 'function') return;
	accumulateTokenUsage(context, inputTokens ?? 0, outputTokens ?? 0);
}
