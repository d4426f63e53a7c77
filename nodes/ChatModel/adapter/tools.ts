import type { ToolChoice } from '../../shared/gateway/text/formats/request';
import { asObject, asText } from '../../shared/gateway/util/json';
import type { Adapter } from './types';

/**
 * The SDK drops the choice of tools, with which agents force a tool call, and callbacks and metadata of the
 * model, with which n8n's Model Selector shows which model was used.
 *
 * @param patchAll patches the model that has the tools
 */
export function patchTools(adapter: Adapter, patchAll: (bound: Adapter) => Adapter): void {
	const bind = adapter.bindTools?.bind(adapter);
	if (!bind) return;
	adapter.bindTools = (tools, settings) => {
		const bound = bind(tools);
		bound.callbacks = adapter.callbacks;
		bound.metadata = adapter.metadata;
		const choice = toolChoice(settings?.tool_choice);
		if (choice !== undefined && bound.chatModel) bound.chatModel = bound.chatModel.withToolChoice(choice);
		return patchAll(bound);
	};
}

/** Reads LangChain's choice of tools: `any` is called `required` elsewhere; any other text is the name of a tool. */
export function toolChoice(value: unknown): ToolChoice | undefined {
	const named = asText(asObject(asObject(value)?.function)?.name) ?? asText(asObject(value)?.name);
	if (named !== undefined) return { name: named };
	const word = asText(value);
	if (word === undefined || word === 'auto' || word === 'none' || word === 'required') return word;
	return word === 'any' ? 'required' : { name: word };
}
