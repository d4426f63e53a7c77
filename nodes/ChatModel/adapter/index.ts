import type { Logger } from 'n8n-workflow';

import { patchCalls } from './calls';
import { patchEarlyReturn } from './earlyReturn';
import { patchStructuredOutput } from './structured';
import { patchTokenUsage } from './tokens';
import { patchTools } from './tools';
import type { Adapter } from './types';

// n8n's SDK, a preview, wraps our model in a LangChain model. What is missing there is patched on the object that
// it returns, as n8n's own chat model nodes do.

/** What the patches need of the SDK's model. */
const TARGETS = [
	'_generate',
	'_streamResponseChunks',
	'stream',
	'bindTools',
	'withStructuredOutput',
	'callbacks',
] as const;

/** The targets whose absence has been logged. */
const logged = new Set<string>();

/**
 * Patches the SDK's LangChain model: files in messages, text as a string, the choice of tools, structured output,
 * tokens of streamed responses, the cost, and aborting when the reader leaves. When another version of the SDK
 * lacks the target of a patch, this is logged once and the patch is left out.
 *
 * @returns the same object
 */
export function patchAdapter<A>(given: A, logger: Pick<Logger, 'warn'>): A {
	const adapter = given as Adapter;
	for (const target of TARGETS.filter((name) => adapter[name] === undefined && !logged.has(name))) {
		logged.add(target);
		logger.warn(
			`Gateway Chat Model: the AI SDK of this n8n has no "${target}", so a part of the model does not work`,
		);
	}
	patchAll(adapter);
	return given;
}

function patchAll(adapter: Adapter): Adapter {
	patchCalls(adapter);
	patchEarlyReturn(adapter);
	patchTools(adapter, patchAll);
	patchStructuredOutput(adapter);
	patchTokenUsage(adapter);
	return adapter;
}
