import {
	errorFromResponse,
	errorFromObject,
	ignoreAlreadyDone,
	withServerMessage,
	type ErrorResponse,
} from '../../../nodes/shared/gateway/errors/fromResponse';
import { parseErrorBody } from '../../../nodes/shared/gateway/errors/errorBody';
import { rejection } from '../../helpers/client';

const text = expect.stringMatching(/^\S.{10,}/) as string;
const errorOfResponse = (response: Partial<ErrorResponse> & { status: number }) =>
	errorFromResponse({ group: 'text', kind: 'read', body: '', now: 0, secrets: [], ...response });

describe('the body of an error', () => {
	const nothing = { serverMessage: undefined, code: undefined, type: undefined, param: undefined };

	it.each([
		['a type', { error: { message: 'm', type: 't' } }, { isKnown: true, serverMessage: 'm', type: 't' }],
		['a code', { error: { message: 'm', code: 'c' } }, { isKnown: true, serverMessage: 'm', code: 'c' }],
		['a numeric code', { error: { message: 'm', code: 1001 } }, { serverMessage: 'm', code: '1001' }],
		['nulls', { error: { message: null, type: null, param: null, code: null } }, {}],
		['texts that are empty', { error: { message: '', type: '', param: '', code: '' } }, {}],
		['an error without anything', { error: {}, code: '502' }, {}],
	])('has %s in its error object', (_, body, read) => {
		expect(parseErrorBody(JSON.stringify(body))).toStrictEqual({ isKnown: false, ...nothing, ...read });
	});

	it.each([
		['the media envelope first', { code: 422, msg: 'a', message: 'b', error: 'c' }, true, 'a'],
		['an envelope without words', { code: '422', msg: '' }, true, undefined],
		['a code without msg', { code: 502, message: 'b' }, false, 'b'],
		['a msg without a code', { msg: 'a' }, false, 'a'],
		['a message next to other things', { message: 'b', error: 'c' }, false, 'b'],
		['an error that is a text', { error: 'c', code: 'not read' }, false, 'c'],
		['nothing to read', { msg: 1, message: {}, error: ['x'] }, false, undefined],
	])('has %s', (_, body, isKnown, serverMessage) =>
		expect(parseErrorBody(JSON.stringify(body))).toStrictEqual({ ...nothing, isKnown, serverMessage }),
	);
});

describe('a response with an error status', () => {
	it('has all details of its body', () => {
		const fields = { type: 'invalid_request_error', param: 'input', code: 'forbidden' };
		const body = JSON.stringify({ error: { message: 'No such thing', ...fields } });
		expect(
			errorOfResponse({ status: 403, body, retryAfter: 'Thu, 01 Jan 1970 00:00:02 GMT' }).details,
		).toStrictEqual({
			message: text,
			description: expect.stringContaining('“No such thing”.') as string,
			serverMessage: 'No such thing',
			outcome: 'rejected',
			kind: 'read',
			status: 403,
			...fields,
			retryAfterMs: 2_000,
			retryable: false,
		});
	});

	it('has the details of its status where its body is empty', () => {
		expect(errorOfResponse({ status: 429 }).details).toStrictEqual({
			message: text,
			description: expect.not.stringContaining('says') as string,
			outcome: 'rejected',
			kind: 'read',
			status: 429,
			code: undefined,
			type: undefined,
			param: undefined,
			retryAfterMs: undefined,
			retryable: true,
			isRateLimit: true,
		});
	});

	it.each([
		[299, undefined],
		[300, 'redirected'],
		[399, 'redirected'],
		[400, undefined],
	])('with status %i has the code %s', (status, code) => {
		expect(errorOfResponse({ status }).details.code).toBe(code);
	});
});

describe('an error inside a successful response', () => {
	const operationText = { message: 'It failed', description: 'Try again.' };

	it('has a code of its own where the error has none', () => {
		const own = { ...operationText, code: 'generation_failed', type: undefined, param: undefined };
		expect(errorFromObject({}, operationText).details).toMatchObject(own);
	});
});

describe('the message of the gateway', () => {
	const shownAfterHint = (message: string | undefined) => withServerMessage('Hint.', message);

	it.each([
		[undefined, 'Hint.'],
		['', 'Hint.'],
		['no', 'Hint. The gateway says: “no”.'],
		['No.', 'Hint. The gateway says: “No.”'],
		['No!', 'Hint. The gateway says: “No!”'],
		['Why?', 'Hint. The gateway says: “Why?”'],
		['A. B', 'Hint. The gateway says: “A. B”.'],
		['And so…', 'Hint. The gateway says: “And so…”'],
		['  a\r\n\t b  ', 'Hint. The gateway says: “a b”.'],
	])('%j follows the hint', (message, shown) => expect(shownAfterHint(message)).toBe(shown));

	it('is shown up to 600 characters', () => {
		expect(shownAfterHint('y'.repeat(600))).toContain(`“${'y'.repeat(600)}”.`);
		expect(shownAfterHint('y'.repeat(601))).toMatch(/“y{600}…”$/);
	});
});

describe('error texts of a request', () => {
	const texts = { 404: { message: 'No such file', description: 'Look for another.' } };

	it.each([
		['of another status', { status: 403 }],
		['with a code, which is more specific', { status: 404, body: '{"error":{"code":"model_not_found"}}' }],
	])('are not used for an error %s', (_, response) =>
		expect(errorOfResponse({ ...response, texts })).toStrictEqual(errorOfResponse(response)),
	);
});

it('a 404 response after an earlier try that may have succeeded is a success, and nothing else', async () => {
	const repeated = errorOfResponse({ status: 404 }).with({ outcome: 'unknown' });
	expect(ignoreAlreadyDone(repeated)).toStrictEqual({ success: true });
	for (const error of [
		errorOfResponse({ status: 404 }),
		errorOfResponse({ status: 403 }).with({ outcome: 'unknown' }),
		Object.assign(new Error('?'), { details: { status: 404, outcome: 'unknown' } }),
	])
		expect(await rejection(Promise.resolve(error).then(ignoreAlreadyDone))).toBe(error);
});
