import { patchCalls } from './calls';
import { patchEarlyReturn } from './earlyReturn';
import { patchStructuredOutput } from './structured';
import { patchTokenUsage } from './tokens';
import { patchTools } from './tools';
import type { Adapter } from './types';

// n8n's SDK, a preview, puts a LangChain model around ours. What it leaves out on the way is put back in here, on the
// object that it gives, as n8n's own chat model nodes do it. Where another version of the SDK has no such function,
// nothing is changed.

/**
 * Adds to the SDK's LangChain model: pictures and files in messages, text as a string, the choice of tools, structured output, the tokens
 * of streamed answers, the cost, and an end of the call when its reader leaves.
 *
 * @returns the same object
 */
export function patchAdapter<A>(given: A): A {
	const adapter = given as Adapter;
	patchCalls(adapter);
	patchEarlyReturn(adapter);
	patchTools(adapter, patchAdapter);
	patchStructuredOutput(adapter);
	patchTokenUsage(adapter);
	return given;
}
