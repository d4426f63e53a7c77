import { textFormat } from '../../../../nodes/shared/gateway/text/formats';
import { textOptions, type TextOption } from '../../../../nodes/shared/gateway/text/formats/options';
import type { Json, JsonObject } from '../../../../nodes/shared/gateway/util/json';
import { optionRows } from '../../../fixtures/spec/textOptions';
import { bodyOf } from './support';

/** Values of each type; `false` and empty ones must be sent as well. */
const VALUES: Record<string, Json[]> = {
	integer: [0, 7],
	number: [0, -0.5],
	boolean: [true, false],
	text: ['', 'words'],
	texts: [['a', 'b'], []],
	choice: ['low', 'auto'],
	word: ['low', 'another'],
	object: [{ a: { b: [null] } }, {}],
	list: [[{ type: 'web_search' }]],
};

/** The limits of an option; other choices are only those of the panel. */
function limitsOf(name: string) {
	const options: Readonly<Record<string, TextOption>> = textOptions;
	const { kind, min, max, choices = [] } = options[name] ?? {};
	const values = choices.filter((choice) => choice.name !== 'Model Decides').map(({ value }) => value);
	return { kind, min, max, choices: kind === 'choice' ? values : undefined };
}

function nested(path: string, value: Json): JsonObject {
	return path.split('.').reduceRight<Json>((inner, name) => ({ [name]: inner }), value) as JsonObject;
}

describe.each(Object.entries(optionRows))('%s', (format, rows) => {
	const bare = bodyOf(format, { stream: true });

	it('has these options, with the ranges of the specification', () => {
		const expected = rows.map(([option, path, kind, limits = {}]) => [
			option,
			{ path, kind, min: undefined, max: undefined, choices: undefined, ...limits },
		]);
		const options = Object.entries(textFormat(format).options).map(([option, path]) => [
			option,
			{ path, ...limitsOf(option) },
		]);
		expect(Object.fromEntries(options)).toStrictEqual(Object.fromEntries(expected));
	});

	// A tool is made of it before the body is; see nodes/addOption.test.ts.
	const sent = rows.filter(([option, path]) => option !== 'webSearch' || path !== 'tools');
	const settings = sent.flatMap(([option, path, kind]) =>
		(VALUES[kind] ?? []).map((value) => ({ option, path, value })),
	);

	it.each(settings)('sends $option $value only as $path', ({ option, path, value }) => {
		expect(bodyOf(format, { stream: true, options: { [option]: value } })).toStrictEqual({
			...bare,
			...nested(path, value),
		});
	});

	it('leaves out options of other formats, and those that are not set', () => {
		expect(bodyOf(format, { stream: true, options: { unheardOf: 1, maxTokens: undefined } })).toStrictEqual(
			bare,
		);
	});
});

describe('options of some requests', () => {
	it('responses: built-in tools follow the functions', () => {
		const tools = [{ name: 'look', parameters: {} }];
		expect(
			bodyOf('responses', { tools, options: { builtInTools: [{ type: 'web_search' }] } }).tools,
		).toStrictEqual([{ type: 'function', name: 'look', parameters: {} }, { type: 'web_search' }]);
	});

	it('responses: built-in tools that are not a list are not sent', () => {
		expect(bodyOf('responses', { options: { builtInTools: [] } })).toStrictEqual({
			model: 'acme/writer',
			input: 'Hi',
		});
	});

	it('responses: verbosity and the response format are sent in one object', () => {
		expect(
			bodyOf('responses', { output: { kind: 'jsonObject', name: 'a' }, options: { verbosity: 'low' } }).text,
		).toStrictEqual({ format: { type: 'json_object' }, verbosity: 'low' });
	});
});
