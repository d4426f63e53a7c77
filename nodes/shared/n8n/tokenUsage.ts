import type { IExecuteFunctions } from 'n8n-workflow';

import type { Usage } from '../gateway/text/formats/completion';
import { addTokenUsage } from './features';

/** Records the tokens of a request with the execution, where n8n can and the format reports them. */
export function recordTokens(context: IExecuteFunctions, { inputTokens, outputTokens }: Usage): void {
	if (inputTokens === null && outputTokens === null) return;
	addTokenUsage(context, inputTokens ?? 0, outputTokens ?? 0);
}
