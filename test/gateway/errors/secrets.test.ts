import fc from 'fast-check';

import { errorFromResponse } from '../../../nodes/shared/gateway/errors/fromResponse';
import { redact, withoutSecrets } from '../../../nodes/shared/gateway/errors/secrets';
import type { Endpoint } from '../../../nodes/shared/gateway/errors/endpoints';
import {
	ApiError,
	InvalidInputError,
	type ApiErrorDetails,
} from '../../../nodes/shared/gateway/errors/errors';
import { readReceipt, withReceivedText } from '../../../nodes/shared/gateway/text/formats/completion';
import { streamError } from '../../../nodes/shared/gateway/text/streamText';

const KEY = 'sk-0a1b2c3d-1111-2222-3333-444455556666';
/** A key in another form than in §2.9. */
const OTHER = 'Secret/Key+1=';

describe('redacting a text', () => {
	it.each([
		['', [OTHER], ''],
		[`a ${OTHER} b ${OTHER}`, [OTHER], 'a [key] b [key]'],
		[`${OTHER}${KEY}`, [OTHER, KEY], '[key][key]'],
		['abcd', ['abcd'], '[key]'],
		// Too short to be a key: it would be found in any text.
		['abc', ['abc', ''], 'abc'],
		[`Bearer ${KEY.toUpperCase()}.`, [], 'Bearer [key].'],
		['sk-0123abc', [], 'sk-0123abc'],
		['sk-0123abcd', [], '[key]'],
		['task-0123abcd', [], 'task-0123abcd'],
		['sk-proj-what', [], 'sk-proj-what'],
	])('%j is returned without its secrets', (text, secrets, clean) =>
		expect(redact(text, secrets)).toBe(clean),
	);

	it('removes every secret', () => {
		const secret = fc.string({ minLength: 8 }).filter((value) => !'[key]'.includes(value));
		fc.assert(
			fc.property(secret, fc.string(), fc.string(), (key, before, after) => {
				expect(redact('x'.repeat(9) + key, [key])).not.toContain(key);
				expect(redact(before + key + after, [key])).toContain('[key]');
			}),
		);
	});
});

const receipt = readReceipt({}, {});
const details: ApiErrorDetails = {
	message: 'm',
	description: 'd',
	outcome: 'rejected',
	kind: 'charge',
	retryable: false,
};

describe('an error', () => {
	it('has no secret in any of its texts, however deep', () => {
		const error = new ApiError({
			...details,
			message: `m ${OTHER}`,
			code: KEY,
			param: OTHER,
			extra: { receivedText: `${OTHER}\n"${KEY}"`, list: [1, { deep: OTHER }], none: null },
		});
		expect(withoutSecrets(error, [OTHER])).toMatchObject({
			name: 'ApiError',
			message: 'm [key]',
			details: {
				...details,
				message: 'm [key]',
				code: '[key]',
				param: '[key]',
				extra: { receivedText: '[key]\n"[key]"', list: [1, { deep: '[key]' }], none: null },
			},
		});
	});

	it.each([
		['needs escapes in JSON', 'a"b\\c\\', 'It is a"b\\c\\ indeed', 'It is [key] indeed'],
		['looks like a part of JSON', 'null', 'null and "null"', '[key] and "[key]"'],
		['is like the name of a field', 'description', 'a description', 'a [key]'],
	])('loses a key that %s', (_, key, textWithKey, clean) => {
		const error = new ApiError({ ...details, description: textWithKey, extra: { state: null } });
		expect(withoutSecrets(error, [key])).toMatchObject({
			details: { ...details, description: clean, extra: { state: null } },
		});
	});

	it.each([
		['of the gateway without secrets', new ApiError({ ...details, status: undefined })],
		['that is not the gateway’s', new InvalidInputError(OTHER, OTHER)],
		['that is a text', OTHER],
	])('%s is returned unchanged', (_, error) => expect(withoutSecrets(error, [OTHER])).toBe(error));
});

describe('a key that the gateway repeats', () => {
	const errorOf = (endpoint: Endpoint, status: number, body: string) =>
		errorFromResponse({ endpoint, kind: 'read', status, body, now: 0, secrets: [OTHER] });
	const escaped = [...OTHER].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
	const bodies: Array<[string, string]> = [
		['the OpenAI format', JSON.stringify({ error: { message: `key ${OTHER} is wrong`, code: 'x' } })],
		['the media envelope', JSON.stringify({ code: 401, msg: `${OTHER} ${KEY}`, data: null })],
		['a text', JSON.stringify({ error: `${OTHER}` })],
		['the escapes of JSON', `{"error":{"message":"${escaped}"}}`],
		['a web page', `<html><body>Authorization: Bearer ${OTHER}</body></html>`],
		['text in no format', `Bearer ${OTHER}`],
	];
	const endpoints: Endpoint[] = ['chat', 'createTask', 'uploadFile', 'downloadUrl'];

	it.each(bodies)('in %s is in no error', (_, body) => {
		const errors = endpoints.flatMap((endpoint) =>
			[307, 401, 500].map((status) => errorOf(endpoint, status, body)),
		);
		expect(errors).toHaveLength(12);
		for (const error of errors) {
			const shown = JSON.stringify([error.details, error.message, error.stack, String(error.cause)]);
			expect(shown).not.toContain(OTHER);
			expect(shown).not.toContain(KEY);
		}
	});

	it('is redacted before the text is cut', () => {
		const body = JSON.stringify({ msg: 'y'.repeat(595) + OTHER });
		const { description } = errorOf('createTask', 400, body).details;
		expect(description).toMatch(/y{595}\[key\]”\.$/);
		const stream = withReceivedText(streamError('cut'), {
			text: 'y'.repeat(295) + OTHER,
			receipt,
			secrets: [OTHER],
		});
		expect(stream.details.description).toMatch(/y{295}\[key\]”$/);
	});

	it('in the message of a stream’s error is not shown', () => {
		const error = new ApiError({ ...details, description: `It says ${OTHER}.` });
		const withText = withReceivedText(error, { text: '', receipt, secrets: [OTHER] });
		expect(withText.details.description).toMatch(/^It says \[key\]\. /);
	});
});
