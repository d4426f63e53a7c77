import { errorText, type EndpointGroup, type ErrorInfo } from '../../../nodes/shared/gateway/errors/texts';
import {
	FILE_PROBLEMS,
	PROBLEMS,
	type ProblemName,
} from '../../../nodes/shared/gateway/errors/texts/problems';
import { problemError } from '../../../nodes/shared/gateway/errors/fromResponse';
import { BY_CODE } from '../../../nodes/shared/gateway/errors/texts/codes';
import { textFormat, textFormats } from '../../../nodes/shared/gateway/text/formats';
import { STREAM_TEXTS } from '../../../nodes/shared/gateway/text/streamErrors';
import spec from '../../fixtures/spec/errors.json';
import { fields } from '../../helpers/panel';

const GROUPS: EndpointGroup[] = ['text', 'media', 'storage', 'balance', 'catalogue', 'file'];
/** Statuses that have their own text in every group. */
const STATUSES = [400, 401, 402, 403, 404, 408, 413, 422, 429, 499, 500, 502, 503, 504];

const textOf = (errorInfo: ErrorInfo) => {
	const { message, description } = errorText(errorInfo);
	return `${message}. ${description}`;
};
/** The statuses that have their own text in a group. */
const ownOf = (group: EndpointGroup, statuses: number[]) =>
	statuses.filter((status) => textOf({ group, status }) !== textOf({ group: 'balance', status }));

/** All texts of errors. */
const ALL_TEXTS = [
	...GROUPS.flatMap((group) =>
		[
			...[...STATUSES, 409, 410, 418, 599].map((status) => ({ status })),
			...spec.openai.map(({ status, code }) => ({ status, code })),
		].map((info) => errorText({ ...info, group })),
	),
	...textFormats.flatMap(({ texts = {} }) => Object.values(texts)),
	...Object.values(PROBLEMS),
	...Object.values(FILE_PROBLEMS),
	...Object.values(STREAM_TEXTS),
];

it('every error has a message and a hint', () => {
	expect(ALL_TEXTS.length).toBeGreaterThan(200);
	for (const text of ALL_TEXTS) {
		expect(text).toMatchObject({
			message: expect.stringMatching(/^\S.{10,}/) as string,
			description: expect.stringMatching(/^\S.{9,}/) as string,
		});
		expect(text.message + text.description).not.toContain('undefined');
		// What is charged depends on the request: it is the last sentence, see `chargeText`.
		expect(text.description).not.toMatch(/charged|[Nn]othing was sent/);
	}
});

it('hints name only options and fields that exist', () => {
	const labels = new Set(fields.map(({ property }) => property.displayName));
	const hints = ALL_TEXTS.map(({ description }) => description).join(' ');
	const named = [...hints.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
	expect(new Set(named)).toStrictEqual(
		new Set(['Max Tokens', 'Rate Limit Wait (Minutes)', 'Stream', 'Timeout (Seconds)']),
	);
	expect(named.filter((name) => !labels.has(name))).toStrictEqual([]);
});

it('each status has another text', () => {
	for (const group of GROUPS.filter((name) => name !== 'file')) {
		expect(new Set(STATUSES.map((status) => textOf({ group, status }))).size).toBe(STATUSES.length);
	}
});

it.each<[EndpointGroup, number[]]>([
	['text', [502, 503, 504]],
	['catalogue', []],
	['storage', [400, 404]],
	['media', [404, 409, 410, 422, 502, 503]],
])('%s has its own texts for %j', (group, own) => {
	expect(ownOf(group, [...STATUSES, 409, 410].sort())).toStrictEqual(own);
});

it('errors of Messages have no codes (§7.5): most of their texts say what the status can mean', () => {
	const { texts = {} } = textFormat('messages');
	expect(Object.keys(texts)).toStrictEqual(['400', '404', '409', '410', '422']);
	expect(textOf({ group: 'text', status: 400, texts })).toMatch(/empty wallet/);
	expect(textOf({ group: 'text', status: 503, texts })).toBe(textOf({ group: 'text', status: 503 }));
});

it('a status that is not listed is named by its number', () => {
	expect(textOf({ group: 'text', status: 418 })).toMatch(/status 418/);
	expect(textOf({ group: 'text', status: 499 })).not.toMatch(/status/);
	expect(textOf({ group: 'text', status: 500 })).not.toMatch(/status/);
	// From 500 on, the cause is the gateway.
	const { description } = errorText({ group: 'text', status: 500 });
	expect(errorText({ group: 'text', status: 501 }).description).toBe(description);
	expect(errorText({ group: 'text', status: 498 }).description).not.toBe(description);
});

describe('the text of a code', () => {
	it.each(Object.keys(BY_CODE))('%s is the same in all groups, whatever the status', (code) => {
		const texts = [400, 418].flatMap((status) => GROUPS.map((group) => textOf({ group, status, code })));
		expect(new Set(texts).size).toBe(1);
	});

	it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', ''])('does not exist for %j', (code) => {
		expect(textOf({ group: 'text', status: 400, code })).toBe(textOf({ group: 'text', status: 400 }));
	});
});

it.each(GROUPS)('the hint after the time limit of the gateway names the options that help: %s', (group) => {
	for (const code of [undefined, 'gateway_timeout']) {
		const { description } = errorText({ group, status: 504, code });
		const isText = group === 'text';
		expect(/'Stream'.*15 minutes.*'Max Tokens'/.test(description)).toBe(isText);
		expect(/'Max Tokens'|shorter response|input/.test(description)).toBe(isText);
	}
});

describe('a problem without an error response', () => {
	const names = Object.keys(PROBLEMS) as ProblemName[];
	const messageOf = (name: ProblemName, isFile: boolean) =>
		problemError(name, isFile ? 'file' : 'read').message;

	it('has a message of its own', () => {
		expect(new Set(names.map((name) => messageOf(name, false))).size).toBe(names.length);
	});

	it('names the file where one was downloaded', () => {
		for (const name of ['refused', 'certificate', 'address', 'lost', 'timeout'] as const) {
			expect(messageOf(name, true)).toMatch(/file/);
			expect(messageOf(name, false)).not.toMatch(/file/);
		}
	});

	it('names the option that helps after a text call without a response', () => {
		const { description } = problemError('timeout', 'charge').details;
		expect(description).toMatch(/'Timeout \(Seconds\)'.*'Stream'.*15 minutes/);
	});
});
