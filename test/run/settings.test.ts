import { collection } from '../../nodes/shared/params/groups';
import { requestSettings, runOptions } from '../../nodes/shared/run/settings';
import { invalidInput } from '../helpers/invalidInput';
import { readParameter } from '../params/support';

// How numbers are read is in test/params/numbers.test.ts; here are the options, their ranges and units.

const read = (values: object) => readParameter(collection(runOptions), values);
const settings = (values: object) => ({
	...requestSettings(read(values)),
	concurrency: read(values).concurrency,
});
const defaults = {
	concurrency: 8,
	maxRetries: 3,
	rateLimitWaitMs: 900_000,
	timeoutMs: undefined,
};

it.each([
	['concurrency', 1, { concurrency: 1 }],
	['concurrency', '100', { concurrency: 100 }],
	['concurrency', '2e1', { concurrency: 20 }],
	['maxRetries', 0, { maxRetries: 0 }],
	['maxRetries', '10', { maxRetries: 10 }],
	['rateLimitWait', 0, { rateLimitWaitMs: 0 }],
	['rateLimitWait', '1.5', { rateLimitWaitMs: 90_000 }],
	['rateLimitWait', 1440, { rateLimitWaitMs: 86_400_000 }],
	['timeout', 1, { timeoutMs: 1_000 }],
	['timeout', '0.5e1', { timeoutMs: 5_000 }],
	['timeout', 1.0006, { timeoutMs: 1_001 }],
	['timeout', 1.0004, { timeoutMs: 1_000 }],
	['timeout', 86_400, { timeoutMs: 86_400_000 }],
	// As it is when the option is added: no limit of its own, which would end a stream sooner.
	['timeout', 315, { timeoutMs: undefined }],
])('%s of %j is read as %j', (name, value, expected) => {
	expect(settings({ [name]: value })).toStrictEqual({ ...defaults, ...expected });
});

it.each(['concurrency', 'maxRetries', 'rateLimitWait', 'timeout'])(
	'%s has its default where it is not set',
	(name) => {
		for (const value of [undefined, null, '']) expect(settings({ [name]: value })).toStrictEqual(defaults);
	},
);

it.each([
	['concurrency', 'Concurrency', [0, '0', 101, 1.5, 99.999], 'a whole number from 1 to 100'],
	['maxRetries', 'Max Retries', [-1, 11, 0.5, '2.5'], 'a whole number from 0 to 10'],
	['rateLimitWait', 'Rate Limit Wait (Minutes)', [-0.001, 1440.1], 'a number from 0 to 1440'],
	['timeout', 'Timeout (Seconds)', [0, '0', 0.999, -1], 'a number of at least 1'],
])('%s rejects what is out of its range, by its label %j: %j', (name, label, values, hint) => {
	for (const value of [...values, NaN, Infinity, 'many', true, {}]) {
		const { param, message, description } = invalidInput(() => settings({ [name]: value }));
		expect([param, message, description]).toStrictEqual([
			name,
			expect.stringContaining(`'${label}'`),
			expect.stringContaining(hint),
		]);
	}
});
