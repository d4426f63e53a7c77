import { choice, EFFORTS, field, type WireFields } from '../fields';

/** The options of the responses format (§4.1). */
export const fields = {
	maxTokens: field('max_output_tokens', 'integer', { min: 1 }),
	maxToolCalls: field('max_tool_calls', 'integer', { min: 0 }),
	temperature: field('temperature', 'number'),
	topP: field('top_p', 'number'),
	topLogprobs: field('top_logprobs', 'integer', { min: 0 }),
	truncation: choice('truncation', ['auto', 'disabled']),
	serviceTier: choice('service_tier', ['auto', 'default', 'flex', 'priority']),
	metadata: field('metadata', 'object'),
	store: field('store', 'boolean'),
	background: field('background', 'boolean'),
	conversation: field('conversation', 'object'),
	previousResponseId: field('previous_response_id', 'text'),
	streamOptions: field('stream_options', 'object'),
	verbosity: field('text.verbosity', 'text'),
	builtInTools: field('tools', 'list'),
	parallelToolCalls: field('parallel_tool_calls', 'boolean'),
	reasoningEffort: choice('reasoning.effort', EFFORTS),
	reasoningSummary: field('reasoning.summary', 'text'),
	reasoningMaxTokens: field('reasoning.max_tokens', 'integer', { min: 0 }),
	include: field('include', 'texts'),
} satisfies WireFields;
