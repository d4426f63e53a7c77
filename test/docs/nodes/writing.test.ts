import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { belongsTo, condition, formatsOf } from './conditions';
import { readableJson } from './json';
import { defaultOf, kind } from './kinds';
import { Normaliser } from './normalise';

const property = (more: Partial<INodeProperties>): INodeProperties => ({
	displayName: 'It',
	name: 'it',
	type: 'string',
	default: '',
	...more,
});

describe('when a parameter is shown', () => {
	const mode = property({
		displayName: 'Input',
		name: 'mode',
		type: 'options',
		options: [
			{ name: 'Form', value: 'form' },
			{ name: 'JSON', value: 'json' },
			{ name: 'Text', value: 'text' },
		],
	});
	const all = property({ displayName: 'Return All', name: 'all', type: 'boolean' });
	const scope = { panel: [mode, all], beside: [mode, all] };
	const told = (displayOptions: IDisplayOptions) => condition(property({ displayOptions }), scope);

	it('is told by labels', () => {
		expect(told({ show: { mode: ['form', 'json'], all: [false] } })).toBe(
			'When Input is Form or JSON and Return All is off.',
		);
		expect(told({ hide: { '/mode': ['text'] } })).toBe('When Input is not Text.');
		expect(told({ show: { resource: ['task'] } })).toBe('');
	});

	it('what there are no words for is an error', () => {
		expect(() => told({ show: { mode: [{ _cnd: { startsWith: 'f' } }] } })).toThrow('no words');
		expect(() => told({ show: { other: ['x'] } })).toThrow('"other"');
	});

	it('formats have a column of their own', () => {
		const format = property({ name: 'format', type: 'options', options: [{ name: 'Chat', value: 'chat' }] });
		const option = property({ displayOptions: { show: { '/format': ['chat'] } } });
		expect(formatsOf(option, { panel: [format], beside: [] })).toStrictEqual(['Chat']);
		expect(condition(option, { panel: [format], beside: [] })).toBe('');
	});

	it('resource and operation say where it belongs', () => {
		const one = property({ displayOptions: { show: { resource: ['task'], operation: ['get', 'wait'] } } });
		expect(belongsTo(one, { resource: 'task', operation: 'wait' })).toBe(true);
		expect(belongsTo(one, { resource: 'task', operation: 'create' })).toBe(false);
		const hidden = property({ displayOptions: { hide: { operation: ['get'] } } });
		expect(belongsTo(hidden, { resource: 'task', operation: 'get' })).toBe(false);
	});
});

describe('kinds and defaults', () => {
	test.each<[Partial<INodeProperties>, string, string]>([
		[{ default: '={{ $json.id }}' }, 'text', 'expression `{{ $json.id }}`'],
		[{ type: 'boolean', default: true }, 'switch', 'on'],
		[
			{ type: 'number', default: 3, typeOptions: { minValue: 0, numberPrecision: 0 }, required: true },
			'whole number, 0 or more, **required**',
			'`3`',
		],
		[{ type: 'number', default: 1, typeOptions: { minValue: 0, maxValue: 2 } }, 'number, 0 to 2', '`1`'],
		[
			{ type: 'options', default: 'a', options: [{ name: 'First', value: 'a' }], noDataExpression: true },
			'one of a list, no expression',
			'First',
		],
		[{ type: 'fixedCollection', default: { row: [{}] } }, 'rows', '1 row'],
		[{ type: 'fixedCollection', default: {} }, 'rows', ''],
		[{ type: 'json', default: `{"a": "${'x'.repeat(60)}"}` }, 'JSON', 'see below'],
	])('%j', (more, inWords, initial) => {
		expect([kind(property(more)), defaultOf(property(more))]).toStrictEqual([inWords, initial]);
	});

	it('a type without a word is an error', () => {
		expect(() => kind(property({ type: 'color' }))).toThrow('color');
	});
});

describe('what differs from run to run is replaced', () => {
	const startedAt = Date.UTC(2031, 4, 5, 6, 7, 8);
	const normaliser = () =>
		new Normaliser({ gatewayUrl: 'http://127.0.0.1:1', filesUrl: 'http://127.0.0.1:2', startedAt });
	const [one, two] = ['1b0e1d7a-9f0e-4a57-8f43-6f0f5c0c1d11', '2b0e1d7a-9f0e-4a57-8f43-6f0f5c0c1d22'];

	it('ids: the same by the same', () => {
		const [first, second, again] = normaliser().apply([one, `a/${two}.png`, one]) as string[];
		expect([first, second]).toStrictEqual([
			'7c9e6679-7425-40de-944b-e07fc1f90001',
			'a/7c9e6679-7425-40de-944b-e07fc1f90002.png',
		]);
		expect(again).toBe(first);
		expect(normaliser().apply('call_0b858636ea5c42b4b74ddf61')).toBe('call_7c9e6679742540de944be001');
	});

	it('times: by how far they are from the beginning', () => {
		const later = (ms: number) => new Date(startedAt + ms).toISOString();
		expect(normaliser().apply([later(1_234), later(24 * 3_600_000 + 500)])).toStrictEqual([
			'2026-01-15T12:00:00.000Z',
			'2026-01-16T12:00:00.000Z',
		]);
		expect(normaliser().apply('2031-05-05T06:07:09Z')).toBe('2026-01-15T12:00:00Z');
		const noon = Date.UTC(2026, 0, 15, 12);
		expect(normaliser().apply([startedAt + 900, startedAt / 1000])).toStrictEqual([noon, noon / 1000]);
	});

	it('addresses; and nothing else', () => {
		expect(normaliser().apply({ url: 'http://127.0.0.1:2/a.png', price: 12.5, none: null })).toStrictEqual({
			url: 'https://files.example.com/a.png',
			price: 12.5,
			none: null,
		});
	});
});

describe('JSON to be read', () => {
	it('stands on one line where it fits', () => {
		expect(readableJson({ a: 1, b: [true, null] })).toBe('{ "a": 1, "b": [true, null] }');
	});

	it('is written on several lines where it does not', () => {
		const long = 'x'.repeat(90);
		expect(readableJson({ a: long, b: {} })).toBe(`{\n  "a": "${long}",\n  "b": {}\n}`);
	});

	it('leaves out most of many numbers', () => {
		const list = Array.from({ length: 100 }, (_, index) => index);
		expect(readableJson({ list })).toBe('{ "list": [0, 1, 2, 3, … 96 more] }');
	});
});
