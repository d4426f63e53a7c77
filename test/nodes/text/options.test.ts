import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import { textOptions as declared } from '../../../nodes/shared/fields/textOptions';
import { textFormats } from '../../../nodes/shared/gateway/text/formats';
import { asObject, type JsonObject } from '../../../nodes/shared/gateway/util/json';
import { FIELDS_WITHOUT_OPTION } from '../../../scripts/docs/nodes/extraBody';
import { Location, propertiesOf } from '../../../nodes/shared/params/parameter';
import { optionRows } from '../../fixtures/spec/textOptions';
import { useNock } from '../../helpers/nock';
import { optionsIn, type Declared } from '../../helpers/declared';
import { choicesOf, collected } from '../../helpers/panel';
import { chatCompletion, generate, isShown, mockResponse, samples, sentBody } from './support';

useNock();

const spec = readFileSync(join(__dirname, '../../fixtures/spec/text-requests.md'), 'utf8');

/** The rows of a section's first table: field names and notes. */
function requestTable(endpoint: string): Array<{ names: string[]; notes: string }> {
	const section = spec.slice(spec.indexOf(`POST ${endpoint}`));
	const lines = section.slice(section.indexOf('| Field')).split('\n');
	const end = lines.findIndex((line) => !line.startsWith('|'));
	return lines.slice(2, end).map((line) => {
		const [, names = '', ...rest] = line.split('|');
		return { names: names.split(',').map((name) => name.trim()), notes: rest.join('|') };
	});
}

const below = (parent: string, ...names: string[]) => names.map((name) => `${parent}.${name}`);

/** The nested fields in the notes of the tables: those of options, and others. */
const nested: Record<string, string[]> = {
	responses: below('text.format', 'type', 'name', 'schema', 'description', 'strict'),
	chat: [
		'reasoning.enabled',
		...below('provider.max_price', 'prompt', 'completion', 'image', 'audio', 'request'),
		...below('response_format', 'type', 'json_schema'),
	],
	messages: ['thinking.type'],
};
for (const [format, rows] of Object.entries(optionRows))
	nested[format]?.push(...rows.map(([, path]) => path).filter((path) => path.includes('.')));

/** The text options of the panel. */
const textOptions = propertiesOf(declared);

const rowsOf = (format: string) => new Map(Object.entries(optionRows)).get(format) ?? [];

/** Whether an option takes a value, in a format. */
function isTaken(option: Declared | undefined, value: unknown, format: string): boolean {
	try {
		option?.parameter.read(value, new Location('option', 'The option'), () => format);
		return option !== undefined;
	} catch {
		return false;
	}
}

/** What the panel takes. */
function kindOf({ type, typeOptions, default: initial }: Declared['description']): string {
	if (type === 'json') return initial === '{}' ? 'object' : 'list';
	if (type === 'number') return typeOptions?.numberPrecision === 0 ? 'integer' : 'number';
	if (type === 'options') return 'choice';
	if (type === 'string') return typeOptions?.multipleValues ? 'texts' : 'text';
	return type === 'multiOptions' ? 'texts' : type;
}

const everything: INodeParameters = {
	systemPrompt: 'Be brief',
	outputFormat: 'jsonSchema',
	schemaName: 'book',
	jsonSchema: '{"type": "object"}',
	tools: { function: [{ name: 'look', parameters: '{"type": "object"}' }] },
};
const options = {
	toolChoice: 'required',
	...samples(textOptions),
	schemaStrict: true,
};

/** Every field path of a body, with its parents. */
function paths(body: JsonObject, prefix = ''): string[] {
	return Object.entries(body).flatMap(([name, value]) => {
		const object = asObject(value);
		return [`${prefix}${name}`, ...(object ? paths(object, `${prefix}${name}.`) : [])];
	});
}

describe.each(textFormats.map(({ name, path }) => ({ name, path })))('$name: $path', ({ name, path }) => {
	/** All fields that the node's parameters set. `stream` is sent to a gateway that does not stream. */
	const reached = async () => {
		const body = await sentBody({ ...everything, format: name, options: { ...options, stream: true } });
		return new Set(paths(body));
	};

	/** What only *Extra Body* sends. */
	const without = FIELDS_WITHOUT_OPTION[name] ?? [];
	const isWithout = (field: string) => without.some((one) => `${field}.`.startsWith(`${one}.`));

	it('has no parameter for the fields that the documentation lists for Extra Body', async () => {
		const all = await reached();
		expect(without.filter((field) => all.has(field))).toStrictEqual([]);
	});

	it('has a parameter for every other field of the request table', async () => {
		// §4.2: a prompt is an alternative to messages. A response in the background has no text.
		const table = requestTable(path)
			.flatMap(({ names }) => names)
			.filter((field) => field !== 'prompt' && field !== 'background');
		expect(table).not.toHaveLength(0);
		const all = await reached();
		expect(table.filter((field) => !all.has(field) && !isWithout(field))).toStrictEqual([]);
	});

	it('has a parameter for every other nested field of the notes', async () => {
		const all = await reached();
		for (const field of nested[name] ?? []) {
			const [top = '', ...below] = field.split('.');
			const row = requestTable(path).find(({ names }) => names.includes(top));
			expect(row?.notes).toContain(below.at(-1));
		}
		const missing = (nested[name] ?? []).filter((field) => !all.has(field) && !isWithout(field));
		expect(missing).toStrictEqual([]);
	});

	it('shows exactly the options of the format', () => {
		const shown = textOptions
			.filter((option) => isShown(option, name))
			.flatMap((option) => (option.type === 'collection' ? collected(option) : [option]))
			.filter((option) => isShown(option, name))
			.map((option) => option.name);
		expect(shown.sort()).toStrictEqual(
			rowsOf(name)
				.map(([option]) => option)
				.sort(),
		);
	});

	it('has the paths, types, ranges and choices of the specification', () => {
		const own = optionsIn(declared).filter(({ traits }) => traits.wire?.[name] !== undefined);
		const rows = own.map(({ name: option, traits, description }) => {
			const kind = kindOf(description);
			const known = choicesOf(description).filter((one) => one.name !== 'Model Decides');
			const choices = kind === 'choice' ? { choices: known.map(({ value }) => String(value)) } : {};
			return [option, traits.wire?.[name], kind, choices];
		});
		const expected = rowsOf(name).map(([option, path, kind, { choices } = {}]) => [
			option,
			path,
			kind,
			choices ? { choices } : {},
		]);
		expect(new Set(rows)).toStrictEqual(new Set(expected));
		const numbers = rowsOf(name).filter(([, , kind]) => kind === 'integer' || kind === 'number');
		for (const [option, , , { min, max } = {}] of numbers) {
			const bounds = [min ?? -1e6, (min ?? -Infinity) - 1, max ?? 1e6, (max ?? Infinity) + 1];
			const takes = (value: number) =>
				isTaken(
					own.find((one) => one.name === option),
					value,
					name,
				);
			expect([option, ...bounds.map(takes)]).toStrictEqual([option, true, false, true, false]);
		}
	});
});

it('Extra Body does not decide how the response is read', async () => {
	const body = await sentBody({ options: { extraBody: '{ "stream": true, "user": "me" }' } });
	expect(body).toMatchObject({ user: 'me' });
	expect(body).not.toHaveProperty('stream');
});

describe('tools', () => {
	it('calls are found after text, and arguments that are not JSON are kept and marked', async () => {
		const call = (id: string, args: string) => ({ id, function: { name: 'look', arguments: args } });
		const tool_calls = [call('t1', '{"at": 1}'), call('t2', '{"at":')];
		mockResponse('chat', chatCompletion({ content: 'Let me see', tool_calls }, 'tool_calls'));
		const { items } = await generate({ tools: { function: [{ name: 'look', parameters: '{}' }] } });
		expect(items[0]?.json).toMatchObject({
			text: 'Let me see',
			finishReason: 'tool_calls',
			toolCalls: [
				{ id: 't1', name: 'look', arguments: { at: 1 } },
				{ id: 't2', name: 'look', arguments: '{"at":', invalidArguments: true },
			],
		});
	});

	describe('in Extra Body', () => {
		const wireTool: Record<string, string> = {
			chat: '{ "type": "function", "function": { "name": "look" } }',
			responses: '{ "type": "function", "name": "look" }',
			messages: '{ "name": "look", "input_schema": { "type": "object" } }',
		};
		const extraBody = (format: string, choice: INodeParameters, more = ''): INodeParameters => ({
			format,
			options: { extraBody: `{ "tools": [${wireTool[format]}]${more} }`, ...choice },
		});

		it.each([
			['chat', { type: 'function', function: { name: 'look' } }, 'required'],
			['responses', { type: 'function', name: 'look' }, 'required'],
			['messages', { type: 'tool', name: 'look' }, { type: 'any' }],
		])('%s: may be required', async (format, named, required) => {
			const choose = async (choice: INodeParameters) =>
				(await sentBody(extraBody(format, choice))).tool_choice;
			expect(await choose({ toolChoice: 'required' })).toStrictEqual(required);
			expect(await choose({ toolChoice: '={{ "any" }}' })).toStrictEqual(required);
			expect(await choose({ toolChoice: 'function', toolChoiceName: ' look\n' })).toStrictEqual(named);
			expect(await choose({ toolChoice: 'look' })).toStrictEqual(named);
		});

		it('may come with a choice of their own', async () => {
			const more = ', "tool_choice": "auto"';
			const choice = { toolChoice: 'function', toolChoiceName: 'x' };
			const body = await sentBody(extraBody('chat', choice, more));
			expect(body.tool_choice).toBe('auto');
			const added = ', "tool_choice": { "disable_parallel_tool_use": true }';
			const merged = await sentBody(extraBody('messages', { toolChoice: 'required' }, added));
			expect(merged.tool_choice).toStrictEqual({ type: 'any', disable_parallel_tool_use: true });
		});
	});

	it.each(['auto', 'none', '={{ "" }}'])('may be missing with the choice %s', async (toolChoice) => {
		expect(await sentBody({ options: { toolChoice } })).not.toHaveProperty('tool_choice');
	});

	it('the gateway checks the choice of a tool that is not there', async () => {
		const tools = { function: [{ name: 'act' }] };
		const { tool_choice: sent } = await sentBody({ tools, options: { toolChoice: '={{ "look" }}' } });
		expect(sent).toStrictEqual({ type: 'function', function: { name: 'look' } });
	});
});
