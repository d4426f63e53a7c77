import type { Logger } from 'n8n-workflow';

import { patchCalls } from './calls';
import { patchEarlyReturn } from './earlyReturn';
import { patchStructuredOutput } from './structured';
import { patchTokenUsage } from './tokens';
import { patchTools } from './tools';
import type { Adapter } from './types';

// n8n's SDK, a preview, puts a LangChain model around ours. What it leaves out is added here, on the object that it
// returns, as n8n's own chat model nodes do.

/** What each patch needs of the SDK's model. */
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
 * Adds to the SDK's LangChain model: images and files in messages, text as a string, the choice of tools, structured
 * output, the tokens of streamed responses, the cost, and an end of the call when its reader leaves. A patch whose target
 * another version of the SDK does not have is logged once, and left out.
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
