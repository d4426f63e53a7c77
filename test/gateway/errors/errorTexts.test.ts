import { errorText, type EndpointGroup, type ErrorInfo } from '../../../nodes/shared/gateway/errors/texts';
import { FILE_PROBLEMS, PROBLEMS } from '../../../nodes/shared/gateway/errors/texts/problems';
import { BY_CODE } from '../../../nodes/shared/gateway/errors/texts/codes';
import { textFormat, textFormats } from '../../../nodes/shared/gateway/text/formats';
import { STREAM_TEXTS } from '../../../nodes/shared/gateway/text/streamText';
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

describe('the text of a code', () => {
	it.each(Object.keys(BY_CODE))('%s is the same in all groups, whatever the status', (code) => {
		const texts = [400, 418].flatMap((status) => GROUPS.map((group) => textOf({ group, status, code })));
		expect(new Set(texts).size).toBe(1);
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
