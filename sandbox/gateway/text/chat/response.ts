/** Writes the chat completion object (§2.4). */
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../jsonSchema';
import { renderMelody } from '../../media/render/wav';
import { totalCost, type AnsweredCall, type Usage } from '../call';
import { logprobsOf } from '../tokens';
import type { HttpResponse } from '../types';
import type { ChatRequest } from './request';

export interface ChatHead {
	id: string;
	created: number;
	model: string;
	provider: string;
	system_fingerprint: string;
}

export function chatHead(model: string): ChatHead {
	return {
		id: `chatcmpl-${randomUUID()}`,
		created: Math.floor(Date.now() / 1000),
		model,
		provider: 'Sandbox',
		system_fingerprint: 'fp_sandbox_1',
	};
}

export function chatCompletion(request: ChatRequest, answered: AnsweredCall): JsonObject {
	return {
		...chatHead(request.call.model),
		object: 'chat.completion',
		choices: answered.answers.map((answer, index) => ({
			index,
			message: message(request, answer),
			finish_reason: answer.finish,
			reasoning_details: reasoningDetails(request, answer),
			logprobs: logprobs(request, answer),
		})),
		usage: chatUsage(request, answered.usage),
	};
}

function message(request: ChatRequest, answer: HttpResponse): JsonObject {
	const audio = spokenAnswer(request, answer);
	return {
		role: 'assistant',
		content: answer.toolCalls.length > 0 || audio ? null : answer.text,
		...(answer.toolCalls.length > 0 && { tool_calls: wireToolCalls(answer) }),
		refusal: null,
		reasoning: answer.reasoning === '' || request.hideReasoning ? null : answer.reasoning,
		...(audio && { audio }),
		annotations: [],
	};
}

export function wireToolCalls(answer: HttpResponse): JsonObject[] {
	return answer.toolCalls.map((call) => ({
		id: call.id,
		type: 'function',
		function: { name: call.name, arguments: call.arguments },
	}));
}

export function reasoningDetails(request: ChatRequest, answer: HttpResponse): JsonObject[] {
	if (answer.reasoning === '' || request.hideReasoning) return [];
	return [{ type: 'reasoning.text', text: answer.reasoning, index: 0 }];
}

function logprobs(request: ChatRequest, answer: HttpResponse): JsonObject | null {
	if (request.topLogprobs === null) return null;
	return { content: logprobsOf(answer.text, request.topLogprobs), refusal: [] };
}

/** The answer as sound, for `modalities` with `audio`: a melody in place of a voice. */
export function spokenAnswer(request: ChatRequest, answer: HttpResponse): JsonObject | null {
	if (request.audioFormat === null || answer.toolCalls.length > 0) return null;
	return {
		id: `audio_${randomUUID()}`,
		data: renderMelody(answer.text, 1).toString('base64'),
		transcript: answer.text,
		expires_at: Math.floor(Date.now() / 1000) + 3600,
	};
}

export function chatUsage(request: ChatRequest, usage: Usage): JsonObject {
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
		prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0, video_tokens: 0 },
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
