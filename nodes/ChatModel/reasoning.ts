import { randomUUID } from 'node:crypto';

import type { Completion } from '../shared/gateway/text/formats/completion';
import type { ReasoningPart } from '../shared/gateway/text/formats/request';
import { asNumber, asObject, asObjects, asText, objectIn, textOf } from '../shared/gateway/util/json';

// Models that reason want their reasoning back with the results of tool calls. n8n's agent stores a tool call with
// its execution and makes a message of each: of our message it keeps only the text `reasoning_content`.

/** What agents keep of a completion with tool calls. */
interface KeptReasoning {
	/** The API format and the model: no other model can read the reasoning. */
	source: string;
	/** The same in all messages that are made of one completion. */
	id: string;
	text: string;
	parts: ReasoningPart[];
}

/** The field of our text, so that the `reasoning_content` of other models is not taken for it. */
const FIELD = 'aiGatewayReasoning';

/** The text that agents are to keep of a completion, if any. */
export function reasoningToKeep({ choices: [choice] }: Completion, source: string): string | undefined {
	if (!choice?.reasoningParts?.length || choice.toolCalls.length === 0) return undefined;
	const { text, reasoningParts: parts } = choice;
	const kept: KeptReasoning = { source, id: randomUUID(), text, parts };
	return JSON.stringify({ [FIELD]: kept });
}

/** What an agent has kept of a completion, in the `additional_kwargs` of a message that is made of it. */
export function keptReasoning(stored: unknown): KeptReasoning | undefined {
	const kept = asObject(objectIn(asObject(stored)?.reasoning_content)?.[FIELD]);
	const [source, id] = [asText(kept?.source), asText(kept?.id)];
	if (source === undefined || id === undefined) return undefined;
	const parts = asObjects(kept?.parts).map(({ wire, callsBefore }) => {
		return { wire: asObject(wire) ?? {}, callsBefore: asNumber(callsBefore) ?? 0 };
	});
	return { source, id, text: textOf(kept?.text), parts };
}
