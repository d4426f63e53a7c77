import type { ToolChoice } from '../../shared/gateway/text/formats/request';
import { asObject, asText } from '../../shared/gateway/util/json';
import type { Adapter } from './types';

/**
 * The SDK drops the choice of tools, with which agents make a model call one, and what others have hung onto the model:
 * callbacks and metadata, with which n8n's Model Selector shows which model was asked.
 *
 * @param patchAll patches the model with tools, too
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

/** LangChain's words for a choice of tools: `any` is what others call `required`; another word names a tool. */
export function toolChoice(value: unknown): ToolChoice | undefined {
	const named = asText(asObject(asObject(value)?.function)?.name) ?? asText(asObject(value)?.name);
	if (named !== undefined) return { name: named };
	const word = asText(value);
	if (word === undefined || word === 'auto' || word === 'none' || word === 'required') return word;
	return word === 'any' ? 'required' : { name: word };
}
