import fc from 'fast-check';

import { chargeText } from '../../../../nodes/shared/run/charge/words';
import type { Choice, Completion } from '../../../../nodes/shared/gateway/text/formats/completion';
import { parseJsonOutput } from '../../../../nodes/shared/gateway/text/formats/jsonOutput';
import type { OutputRequest } from '../../../../nodes/shared/gateway/text/formats/request';
import type { Json } from '../../../../nodes/shared/gateway/util/json';
import { errorDetailsOf, JSON_OBJECT, NO_CHOICE, NO_USAGE, TEXT } from './support';

const SCHEMA: OutputRequest = { kind: 'jsonSchema', name: 'answer', schema: {} };
const call = { id: 't', name: 'look', arguments: { a: 1 } };

function completionOf(fields: Partial<Choice>, others: Choice[] = []): Completion {
	const choices = [{ ...NO_CHOICE, finishReason: 'stop', ...fields }, ...others];
	return { id: 'r1', model: 'acme/writer', choices, usage: { ...NO_USAGE, inputTokens: 3 }, costRub: 0.5 };
}

function jsonOf(fields: Partial<Choice>, output = SCHEMA): Json | undefined {
	const completion = completionOf(fields);
	const [choice = NO_CHOICE] = completion.choices;
	return parseJsonOutput(choice, output, completion);
}

function errorDetails(
	fields: Partial<Choice>,
	output = SCHEMA,
	others: Choice[] = [],
	costRub: number | null = 0.5,
) {
	const completion = { ...completionOf(fields, others), costRub };
	const [choice = NO_CHOICE] = completion.choices;
	return errorDetailsOf(() => parseJsonOutput(choice, output, completion));
}

it.each(['queued', 'in_progress'])('returns nothing while the completion is %s', (finishReason) => {
	expect(jsonOf({ text: '{}', finishReason }, JSON_OBJECT)).toBeUndefined();
});

it('returns nothing where text was requested', () => {
	expect(jsonOf({ text: '{}' }, TEXT)).toBeUndefined();
});

describe('a Markdown block', () => {
	it('may have any value inside', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom('', 'json', 'JSON'), (value, word) => {
				const text = JSON.stringify(value, null, 2);
				expect(jsonOf({ text: `\`\`\`${word}\n${text}\n\`\`\`` })).toStrictEqual(JSON.parse(text));
			}),
		);
	});
});

describe('a tool call instead of JSON', () => {
	it.each(['', 'Wait', '"Wait"', 'I look at {"a":1}', 'I look at {"a'])(
		'with the text %j returns nothing',
		(text) => {
			expect(jsonOf({ text, toolCalls: [call] }, JSON_OBJECT)).toBeUndefined();
		},
	);

	it('with JSON text returns the JSON', () => {
		expect(jsonOf({ text: '{}', toolCalls: [call] })).toStrictEqual({});
	});

	it('of a completion that was cut off is an error', () => {
		expect(errorDetails({ toolCalls: [call], finishReason: 'length' })).toMatchObject({
			code: 'json_cut_off',
			extra: { toolCalls: [call] },
		});
	});
});

describe('the error for a completion that is not JSON', () => {
	it('is not retryable, and has the completion and its cost', () => {
		expect(errorDetails({ text: 'Sorry.' })).toStrictEqual({
			code: 'not_json',
			message: expect.stringContaining('not JSON') as string,
			description: expect.stringContaining('“Sorry.”') as string,
			outcome: 'charged',
			status: 200,
			retryable: false,
			extra: {
				id: 'r1',
				text: 'Sorry.',
				finishReason: 'stop',
				usage: { ...NO_USAGE, inputTokens: 3 },
				costRub: 0.5,
			},
		});
	});

	it('has the texts of several choices', () => {
		expect(errorDetails({ text: 'a' }, SCHEMA, [{ ...NO_CHOICE, text: 'b' }]).extra?.texts).toStrictEqual([
			'a',
			'b',
		]);
	});

	it('says what it cost, and quotes no text that is empty', () => {
		expect(errorDetails({ text: '' }).description).not.toContain('“');
		expect(chargeText(errorDetails({ text: '' }))).toBe('The call cost ₽0.50.');
		expect(chargeText(errorDetails({ text: '' }, SCHEMA, [], null))).toBe('The call was charged.');
	});

	it('is also thrown for JSON that is cut off at the token limit, even where it can be read', () => {
		const details = errorDetails({ text: '{"a":1}', finishReason: 'length' });
		expect(details).toMatchObject({
			code: 'json_cut_off',
			extra: { text: '{"a":1}', finishReason: 'length' },
		});
		expect(details.description).toContain('Max Tokens');
	});

	it.each(['stop', 'length'])(
		'quotes the refusal of the model, with the finish reason %s',
		(finishReason) => {
			const details = errorDetails({ text: 'Hm', refusal: 'I must not', finishReason });
			expect(details).toMatchObject({ code: 'refused', extra: { refusal: 'I must not', text: 'Hm' } });
			expect(details.description).toContain('“I must not”');
		},
	);
});
