/** Writes the chat completion object (§2.4). */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../jsonSchema';
import { renderMelody } from '../../media/render/wav';
import { totalCost, type CompletedCall, type Usage } from '../call';
import { callIdsOf, signatureOf } from '../returnedReasoning';
import type { Completion } from '../types';
import type { ChatRequest } from './request';

interface ChatHead {
	id: string;
	created: number;
	model: string;
	provider: string;
	system_fingerprint: string;
}

function chatHead(model: string): ChatHead {
	return {
		id: `chatcmpl-${randomUUID()}`,
		created: Math.floor(Date.now() / 1000),
		model,
		provider: 'Sandbox',
		system_fingerprint: 'fp_sandbox_1',
	};
}

export function chatCompletion(request: ChatRequest, completed: CompletedCall): JsonObject {
	return {
		...chatHead(request.call.model),
		object: 'chat.completion',
		choices: completed.completions.map((completion, index) => ({
			index,
			message: message(request, completion),
			finish_reason: completion.finish,
			reasoning_details: reasoningDetails(request, completion),
			logprobs: null,
		})),
		usage: chatUsage(request, completed.usage),
	};
}

function message(request: ChatRequest, completion: Completion): JsonObject {
	const audio = audioOf(request, completion);
	return {
		role: 'assistant',
		content: completion.toolCalls.length > 0 || audio ? null : completion.text,
		...(completion.toolCalls.length > 0 && { tool_calls: wireToolCalls(completion) }),
		refusal: null,
		reasoning: completion.reasoning === '' || request.hideReasoning ? null : completion.reasoning,
		...(audio && { audio }),
		annotations: [],
	};
}

function wireToolCalls(completion: Completion): JsonObject[] {
	return completion.toolCalls.map((call) => ({
		id: call.id,
		type: 'function',
		function: { name: call.name, arguments: call.arguments },
	}));
}

function reasoningDetails(request: ChatRequest, completion: Completion): JsonObject[] {
	if (completion.reasoning === '' || request.hideReasoning) return [];
	return [
		{
			type: 'reasoning.text',
			text: completion.reasoning,
			signature: signatureOf(completion.reasoning, callIdsOf(completion)),
			index: 0,
		},
	];
}

/** The completion as audio, for `modalities` with `audio`: a melody in place of a voice. */
function audioOf(request: ChatRequest, completion: Completion): JsonObject | null {
	if (request.audioFormat === null || completion.toolCalls.length > 0) return null;
	return {
		id: `audio_${randomUUID()}`,
		data: renderMelody(completion.text, 1).toString('base64'),
		transcript: completion.text,
		expires_at: Math.floor(Date.now() / 1000) + 3600,
	};
}

function chatUsage(request: ChatRequest, usage: Usage): JsonObject {
	const cost = totalCost(usage);
	return {
		prompt_tokens: usage.input,
		completion_tokens: usage.output,
		total_tokens: usage.input + usage.output,
		completion_tokens_details: {
			reasoning_tokens: usage.reasoning,
			audio_tokens: 0,
			image_tokens: 0,
			accepted_prediction_tokens: 0,
			rejected_prediction_tokens: 0,
		},
		prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0, video_tokens: 0 },
		server_tool_use: { web_search_requests: 0 },
		cost_rub: cost,
		cost,
		...(request.plugins && {
			plugins: {
				masker: {
					operations: [{ operation: 'mask', latency_ms: 3, cost_rub: 0 }],
					total_cost_rub: 0,
				},
			},
			plugin_post_process_error: false,
		}),
	};
}
