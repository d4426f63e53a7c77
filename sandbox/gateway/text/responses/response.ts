/** Writes the response object (§2.3). */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../jsonSchema';
import { toNumber } from '../../money';
import { totalCost, type CompletedCall, type Usage } from '../call';
import { withoutMarkers } from '../markers';
import { userText } from '../reply';
import { encryptedReasoning } from '../returnedReasoning';
import type { Completion } from '../types';
import type { ResponsesRequest } from './request';

/** The response before its completion: status `in_progress`, empty `output`. */
export function openResponse(request: ResponsesRequest): JsonObject {
	const { body } = request;
	return {
		id: `resp_${randomUUID().replaceAll('-', '')}`,
		object: 'response',
		created_at: Math.floor(Date.now() / 1000),
		completed_at: null,
		status: 'in_progress',
		error: null,
		incomplete_details: null,
		model: request.call.model,
		instructions: request.instructions,
		max_output_tokens: request.call.maxTokens,
		metadata: body.metadata ?? {},
		parallel_tool_calls: request.call.parallelTools,
		previous_response_id: request.previousId,
		temperature: body.temperature ?? null,
		text: body.text ?? { format: { type: 'text' } },
		tool_choice: body.tool_choice ?? 'auto',
		tools: body.tools ?? [],
		top_p: body.top_p ?? null,
		output: [],
		usage: null,
	};
}

/** The same response with its output and usage: `completed`, or `incomplete` at the token limit (§3.3). */
export function closeResponse(open: JsonObject, output: JsonObject[], completed: CompletedCall): JsonObject {
	const [completion] = completed.completions;
	const incomplete = completion?.finish === 'length' || completion?.finish === 'content_filter';
	return {
		...open,
		completed_at: incomplete ? null : Math.floor(Date.now() / 1000),
		status: incomplete ? 'incomplete' : 'completed',
		incomplete_details: incomplete
			? { reason: completion.finish === 'length' ? 'max_output_tokens' : 'content_filter' }
			: null,
		output,
		usage: responsesUsage(completed.usage),
	};
}

/**
 * The output items. The items before the message depend on the request, so that the text has no fixed index:
 * a reasoning item when the model thinks, a search when it may search.
 */
export function outputItems(request: ResponsesRequest, completion: Completion): JsonObject[] {
	const items: JsonObject[] = [];
	if (completion.reasoning !== '') items.push(reasoningItem(request, completion));
	if (request.searches) items.push(searchItem(request));
	for (const call of completion.toolCalls) {
		items.push({
			id: newId('fc'),
			type: 'function_call',
			status: 'completed',
			call_id: call.id,
			name: call.name,
			arguments: call.arguments,
		});
	}
	if (completion.toolCalls.length === 0) items.push(messageItem(request, completion));
	return items;
}

function newId(prefix: string): string {
	return `${prefix}_${randomUUID().replaceAll('-', '')}`;
}

function reasoningItem(request: ResponsesRequest, completion: Completion): JsonObject {
	const encrypted =
		Array.isArray(request.body.include) && request.body.include.includes('reasoning.encrypted_content');
	return {
		id: newId('rs'),
		type: 'reasoning',
		status: 'completed',
		summary: [{ type: 'summary_text', text: completion.reasoning }],
		...(encrypted && { encrypted_content: encryptedReasoning(completion) }),
	};
}

const source = { type: 'url', url: 'https://example.com/sandbox', title: 'Sandbox source' };

function searchItem(request: ResponsesRequest): JsonObject {
	return {
		id: newId('ws'),
		type: 'web_search_call',
		status: 'completed',
		action: { type: 'search', query: withoutMarkers(userText(request.call)), sources: [source] },
	};
}

function messageItem(request: ResponsesRequest, completion: Completion): JsonObject {
	const end = Math.min(20, completion.text.length);
	return {
		id: newId('msg'),
		type: 'message',
		status: completion.finish === 'length' ? 'incomplete' : 'completed',
		role: 'assistant',
		content: [
			{
				type: 'output_text',
				text: completion.text,
				annotations: request.searches
					? [{ ...source, type: 'url_citation', start_index: 0, end_index: end }]
					: [],
			},
		],
	};
}

function responsesUsage(usage: Usage): JsonObject {
	return {
		input_tokens: usage.input,
		output_tokens: usage.output,
		total_tokens: usage.input + usage.output,
		input_tokens_details: { cached_tokens: 0, text_tokens: usage.input, image_tokens: 0 },
		output_tokens_details: { reasoning_tokens: usage.reasoning, text_tokens: usage.text },
		cost: {
			input_cost: toNumber(usage.inputCost),
			output_cost: toNumber(usage.outputCost),
			total_cost: totalCost(usage),
		},
	};
}
