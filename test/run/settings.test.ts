import { InvalidInputError } from '../../nodes/shared/gateway/errors/errors';
import { collection } from '../../nodes/shared/params/groups';
import { requestSettings, runOptions } from '../../nodes/shared/run/settings';
import { invalidInput } from '../helpers/invalidInput';
import { readParameter } from '../params/support';

const options = (values: object) => readParameter(collection(runOptions), values);
const settings = (values: object) => requestSettings(options(values));
const defaults = {
	maxRetries: 3,
	rateLimitWaitMs: 900_000,
	requestsPerMinute: 0,
	timeoutMs: undefined,
};
const concurrency = (value: unknown) => options({ concurrency: value }).concurrency;

describe('Concurrency', () => {
	it.each([
		[undefined, 8],
		[null, 8],
		['', 8],
		[1, 1],
		['1', 1],
		[100, 100],
		['100', 100],
		['2e1', 20],
	])('%j is %d', (value, count) => {
		expect(concurrency(value)).toBe(count);
	});

	it.each([0, '0', -1, 101, 1e9, 1.5, '1.5', 99.999, NaN, Infinity, 'NaN', 'all', true, {}, [8]])(
		'rejects %p',
		(value) => {
			expect(() => concurrency(value)).toThrow(InvalidInputError);
		},
	);
});

describe('Max Retries', () => {
	it.each([
		[undefined, 3],
		[null, 3],
		['', 3],
		[0, 0],
		['0', 0],
		[1, 1],
		[10, 10],
		['10', 10],
	])('%j is %d', (value, count) => {
		expect(settings({ maxRetries: value })).toStrictEqual({ ...defaults, maxRetries: count });
	});

	it.each([-1, 11, 0.5, '2.5', NaN, Infinity, 'often', false, {}])('rejects %p', (value) => {
		expect(() => settings({ maxRetries: value })).toThrow(InvalidInputError);
	});
});

describe('Timeout', () => {
	it.each([
		[undefined, undefined],
		[null, undefined],
		['', undefined],
		[1, 1_000],
		['1', 1_000],
		[1.5, 1_500],
		['0.5e1', 5_000],
		[1.0006, 1_001],
		[1.0004, 1_000],
		[86_400, 86_400_000],
		// As it is when the option is added: no limit of its own, which would end a stream sooner.
		[315, undefined],
	])('%j seconds are %j milliseconds', (value, milliseconds) => {
		expect(settings({ timeout: value })).toStrictEqual({ ...defaults, timeoutMs: milliseconds });
	});

	it.each([0, '0', 0.999, -1, NaN, Infinity, 'long', true, []])('rejects %p', (value) => {
		expect(() => settings({ timeout: value })).toThrow(InvalidInputError);
	});
});

describe('Rate Limit Wait', () => {
	it.each([
		[undefined, 900_000],
		[null, 900_000],
		[0, 0],
		['0', 0],
		[0.5, 30_000],
		['1.5', 90_000],
		[1440, 86_400_000],
	])('%j minutes are %j milliseconds', (value, milliseconds) => {
		expect(settings({ rateLimitWait: value })).toStrictEqual({ ...defaults, rateLimitWaitMs: milliseconds });
	});

	it.each([-1, -0.001, 1440.1, 1e9, NaN, Infinity, 'long', true, []])('rejects %p', (value) => {
		expect(invalidInput(() => settings({ rateLimitWait: value })).description).toContain('from 0 to 1440');
	});
});

describe('Requests per Minute', () => {
	it.each([
		[undefined, 0],
		[null, 0],
		[0, 0],
		[1, 1],
		['60', 60],
		[100_000, 100_000],
	])('%j is %d', (value, count) => {
		expect(settings({ requestsPerMinute: value })).toStrictEqual({ ...defaults, requestsPerMinute: count });
	});

	it.each([-1, 0.5, '59.9', 100_001, 1e9, NaN, Infinity, 'all', true, {}])('rejects %p', (value) => {
		expect(invalidInput(() => settings({ requestsPerMinute: value })).description).toContain(
			'a whole number from 0 to 100000',
		);
	});
});

it.each([
	['concurrency', 'Concurrency', () => concurrency(0)],
	['maxRetries', 'Max Retries', () => settings({ maxRetries: -1 })],
	['rateLimitWait', 'Rate Limit Wait (Minutes)', () => settings({ rateLimitWait: -1 })],
	['requestsPerMinute', 'Requests per Minute', () => settings({ requestsPerMinute: -1 })],
	['timeout', 'Timeout (Seconds)', () => settings({ timeout: 0 })],
])('an error names the option: %s, %s', (param, label, read) => {
	const error = invalidInput(read);
	expect([error.param, error.message]).toStrictEqual([param, expect.stringContaining(`'${label}'`)]);
});
