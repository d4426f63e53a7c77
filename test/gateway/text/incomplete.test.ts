import { textFormat } from '../../../nodes/shared/gateway/text/formats';
import { incompleteHint, isIncomplete } from '../../../nodes/shared/gateway/text/incomplete';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';

const hint = (finishReason: string | null, body: JsonObject = {}, format = 'chat') =>
	incompleteHint([{ finishReason: 'stop' }, { finishReason }], body, textFormat(format));

test.each(
	`length max_tokens MAX_TOKENS max_output_tokens model_length model_context_window_exceeded content_filter refusal
	SAFETY RECITATION PROHIBITED_CONTENT guardrail_intervened sensitive blacklist`.split(/\s+/),
)('%s: the text is not complete', (finishReason) => {
	expect(isIncomplete({ finishReason })).toBe(true);
	expect(hint(finishReason)).toMatch(/is not complete|is cut off/);
});

test.each([
	...'stop STOP tool_calls function_call end_turn stop_sequence tool_use COMPLETE eos_token queued'.split(
		' ',
	),
	'',
	null,
])('%s: the text is complete', (finishReason) => {
	expect(isIncomplete({ finishReason })).toBe(false);
	expect(hint(finishReason)).toBeUndefined();
});

test.each([
	'insufficient_system_resource',
	'pause_turn',
	'MALFORMED_FUNCTION_CALL',
	'cancelled',
	'something_new',
])('%s is not known: a hint names it', (finishReason) => {
	expect(isIncomplete({ finishReason })).toBe(false);
	expect(hint(finishReason)).toContain(`may not be complete: the model gives “${finishReason}”`);
});

test.each<[string, JsonObject, string, string]>([
	['chat', { max_tokens: 20 }, 'at 20 tokens', "Raise or remove the option 'Max Tokens'"],
	['chat', { max_completion_tokens: 20 }, 'at 20 tokens', "'Max Tokens'"],
	['responses', { max_output_tokens: 20 }, 'at 20 tokens', "Raise or remove the option 'Max Tokens'"],
	['messages', { max_tokens: 4096 }, 'at 4,096 tokens', "Raise 'Max Tokens': without it, this is the limit"],
	['chat', {}, 'its own limit', 'Ask for less'],
])('%s, sent with %j: the hint says what to do', (format, body, what, advice) => {
	expect(hint('length', body, format)).toContain(what);
	expect(hint('length', body, format)).toContain(advice);
});

it('a filtered text is to be rephrased', () =>
	expect(hint('content_filter', { max_tokens: 20 })).toContain('Rephrase the prompt'));
