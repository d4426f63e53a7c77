import type { INodeParameters } from 'n8n-workflow';

import {
	checkKey,
	claimKey,
	digest,
	executionRoot,
	idempotencyKey,
	writtenDigests,
	type KeyUse,
} from '../../nodes/shared/run/charge/keys';
import type { Json } from '../../nodes/shared/gateway/util/json';
import { invalidInput } from '../helpers/invalidInput';
import { form } from '../helpers/media';
import { collected, nodesByName } from '../helpers/panel';

const written = (parameters: object) => writtenDigests({ parameters: parameters as INodeParameters });

/** What a change of a parameter leads to: another request, another output of the same response, or neither. */
function effectOf(name: string): 'request' | 'output' | 'none' {
	const option = /^options\.(.*)/.exec(name)?.[1];
	const before = written({});
	const after = written(option === undefined ? { [name]: 'x' } : { options: { [option]: 'x' } });
	if (after.call !== before.call) return 'request';
	return after.output === before.output ? 'none' : 'output';
}

/** The parameters that an operation has in the panel, by what a change of each leads to. */
function effects(node: string, resource: string, operation: string) {
	const found: Record<string, string[]> = { request: [], output: [], none: [] };
	for (const property of nodesByName[node]?.description.properties ?? []) {
		const { show = {} } = property.displayOptions ?? {};
		if (![resource, undefined].includes(show.resource?.[0] as string | undefined)) continue;
		if (show.operation && !show.operation.includes(operation)) continue;
		const names =
			property.name === 'options'
				? collected(property).map(({ name }) => `options.${name}`)
				: [property.name];
		for (const name of names) found[effectOf(name)]?.push(name);
	}
	return Object.fromEntries(Object.entries(found).map(([effect, names]) => [effect, names.sort().join(' ')]));
}

const FORM = 'input inputFiles inputJson inputMode model operation';
const LIMITS = 'options.maxCostRub options.maxPriceRub options.maxRetries';
const TEXT_OPTIONS =
	'audioAndImages builtIn cachePrompt context extraBody fallbackModels maxTokens providerRouting reasoning reasoningEffort sampling schemaStrict serviceTier temperature thinking toolChoice toolChoiceName verbosity webSearch';

// A new option counts as part of the request, until somebody says here that it does not.
it.each<[node: string, resource: string, operation: string, effects: object]>([
	[
		'mediaTask',
		'task',
		'createAndWait',
		{
			request: `${FORM} options.sessionId prompt resource`,
			output: 'downloadResults options.binaryPropertyName options.dryRun simplify',
			none: `options.callbackUrl options.concurrency options.idempotencyKey ${LIMITS} options.maxWait options.passThrough options.rateLimitWait options.timeout toolDescription waitStrategy`,
		},
	],
	[
		'mediaTask',
		'task',
		'create',
		{
			request: `${FORM} options.sessionId prompt resource`,
			output: 'options.dryRun simplify',
			none: `options.callbackUrl options.concurrency options.idempotencyKey ${LIMITS} options.passThrough options.rateLimitWait options.timeout toolDescription`,
		},
	],
	[
		'textGeneration',
		'text',
		'generate',
		{
			request: `attachments fields format inputMode jsonExample jsonSchema messages messagesJson model operation ${TEXT_OPTIONS.replace(/\b(?=[a-z])/gi, 'options.')} outputFormat prompt resource schemaName systemPrompt tools`,
			output: 'options.dryRun simplify',
			none: 'options.concurrency options.maxCostRub options.maxRetries options.rateLimitWait options.stream options.timeout toolDescription',
		},
	],
])('%s, %s %s: what another value of a parameter changes', (node, resource, operation, expected) => {
	expect(effects(node, resource, operation)).toStrictEqual(expected);
});

describe('a parameter is the same', () => {
	const locator = { __rl: true, mode: 'list', value: 'a', cachedResultName: 'A', cachedResultUrl: '' };
	const mapper = form({ size: 1 });

	it.each<[string, object, object]>([
		[
			'whatever the list called a model',
			{ model: locator },
			{ model: { ...locator, cachedResultName: 'B' } },
		],
		['if a model is chosen by its ID', { model: locator }, { model: { ...locator, mode: 'id' } }],
		['whatever the schema of a form', { input: mapper }, { input: form({ size: 1 }, [{ id: 'size' }]) }],
		['in any order', { prompt: 'a', model: 'b' }, { model: 'b', prompt: 'a' }],
		['with an empty list of options', {}, { options: {} }],
	])('%s', (_, one, other) => {
		expect(written(other)).toStrictEqual(written(one));
	});

	it.each<[string, object, object]>([
		['with another model', { model: locator }, { model: { ...locator, value: 'b' } }],
		['with another value in a form', { input: mapper }, { input: form({ size: 2 }) }],
		['with another expression', { prompt: '={{ $json.a }}' }, { prompt: '={{ $json.b }}' }],
	])('but not %s', (_, one, other) => {
		expect(written(other).call).not.toBe(written(one).call);
	});
});

describe('the root of an execution', () => {
	const rootOf = (resumeUrl?: string, store = {}) => executionRoot({ resumeUrl }, store);
	const URL_1 = 'https://n8n.test/webhook-waiting/1?signature=secret';

	it('is the same in its retries, which have another ID, and does not tell the token', () => {
		expect(rootOf(URL_1.replace('/1?', '/2?'))).toBe(rootOf(URL_1));
		expect(rootOf(URL_1)).toMatch(/^[0-9a-f]{64}$/);
		expect(rootOf(URL_1.replace('secret', 'other'))).not.toBe(rootOf(URL_1));
	});

	it.each([undefined, '', 'no URL', 'https://n8n.test/webhook-waiting/1'])(
		'is random without a token, and kept with the execution: %j',
		(url) => {
			const store = {};
			expect(rootOf(url, store)).toBe(rootOf(url, store));
			expect(rootOf(url)).not.toBe(rootOf(url, store));
		},
	);
});

it('an idempotency key (§4.6) is ASCII, and the same only for another order of fields', () => {
	const keys = [{ a: { b: 1, c: 'заказ' } }, { a: { c: 'заказ', b: 1 } }].map((parts) =>
		idempotencyKey(parts),
	);
	expect(keys[0]).toMatch(/^n8n-gw-[0-9a-f]{64}$/);
	expect(keys[1]).toBe(keys[0]);
	const others: Json[] = [['a', 'b'], ['b', 'a'], ['ab', ''], { a: null }, {}];
	expect(new Set(others.map(idempotencyKey)).size).toBe(others.length);
});

describe('a key of the user', () => {
	it('stands for one content in all places; only in the first, that may change between tries', () => {
		const keys: Record<string, KeyUse> = {};
		const claim = (name: string, place: string, content: string) =>
			claimKey(keys, name, { place, content }).place;
		expect([claim('k', 'a', '1'), claim('k', 'b', '1'), claim('k', 'a', '1')]).toStrictEqual(['a', 'a', 'a']);
		expect(claim('other', 'b', '2')).toBe('b');
		const { message, param } = invalidInput(() => claim('k', 'b', '2'));
		expect(message).toBe("'Idempotency Key' is the same for two different inputs of this execution");
		expect(param).toBe('idempotencyKey');
		expect([claim('k', 'a', '2'), claim('k', 'b', '2')]).toStrictEqual(['a', 'a']);
		expect(Object.keys(keys)).toStrictEqual([digest('k'), digest('other')]);
	});

	it.each(['order-7:b', 'order 7', 'a  b', '!', '~', 'k'.repeat(255)])('is sent as typed: %j', (key) => {
		expect(() => checkKey(key)).not.toThrow();
	});

	it.each([' key', 'key ', 'a\tb', 'a\nb', 'key\n', 'key\u007f', 'é', 'kеy', 'заказ-А', '🙂', ' ', ''])(
		'that HTTP clients would change is refused, with the keys that are allowed: %j',
		(key) => {
			const { message, description, param } = invalidInput(() => checkKey(key));
			expect(message).toContain('cannot be sent as it is');
			expect(description).toMatch(/255 characters.*ASCII.*spaces/);
			expect(param).toBe('idempotencyKey');
		},
	);
});
