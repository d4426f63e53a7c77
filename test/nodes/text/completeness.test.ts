import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { textOptionParameters } from '../../../nodes/shared/fields/textOptions';
import { textFormats } from '../../../nodes/shared/gateway/text/formats';
import { asObject, type JsonObject } from '../../../nodes/shared/gateway/util/json';
import { generate, sentBody } from './support';
import { useNock } from '../../helpers/nock';

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

/** The nested fields in the notes of the tables. */
const nested: Record<string, string[]> = {
	responses: [
		'text.format.type',
		'text.format.name',
		'text.format.schema',
		'text.format.description',
		'text.format.strict',
		'text.verbosity',
		'reasoning.effort',
		'reasoning.summary',
		'reasoning.max_tokens',
	],
	chat: [
		'reasoning.effort',
		'reasoning.summary',
		'reasoning.enabled',
		'reasoning.max_tokens',
		'reasoning.exclude',
		'web_search_options.search_context_size',
		'provider.allow_fallbacks',
		'provider.order',
		'provider.only',
		'provider.ignore',
		'provider.sort',
		'provider.max_price.prompt',
		'provider.max_price.completion',
		'provider.max_price.image',
		'provider.max_price.audio',
		'provider.max_price.request',
		'audio.voice',
		'audio.format',
		'image_config.quality',
		'image_config.size',
		'response_format.type',
		'response_format.json_schema',
	],
	messages: ['thinking.type'],
};

/** A valid value of an option, as the panel stores it. */
function sample({ type, options, typeOptions, default: initial, name }: INodeProperties) {
	if (type === 'options') return String((options?.[0] as INodePropertyOptions).value);
	if (type === 'multiOptions')
		return options?.map((option) => String((option as INodePropertyOptions).value)) ?? [];
	if (type === 'number') return typeOptions?.minValue ?? 1;
	if (type === 'boolean') return false;
	const text = typeof initial === 'string' ? initial : '';
	if (type === 'json') return text === '{}' ? `{"${name}": 1}` : text.replace('[]', '[{"id": 1}]');
	return typeOptions?.multipleValues ? ['one', 'two'] : 'some';
}

/** The text options of the panel. */
const textOptions = Object.entries(textOptionParameters).map(([name, parameter]) => parameter.property(name));

const everything: INodeParameters = {
	systemPrompt: 'Be brief',
	outputFormat: 'jsonSchema',
	schemaName: 'book',
	jsonSchema: '{"type": "object"}',
	tools: { function: [{ name: 'look', parameters: '{"type": "object"}' }] },
	toolChoice: 'required',
};
const options = {
	...Object.fromEntries(textOptions.map((option) => [option.name, sample(option)])),
	schemaDescription: 'a book',
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
		const text = await sentBody({ format: name, inputMode: 'json', messagesJson: promptOf(name) });
		return new Set([...paths(body), ...paths(text)]);
	};

	it('has a parameter for every field of the request table', async () => {
		const table = requestTable(path).flatMap(({ names }) => names);
		expect(table.length).toBeGreaterThan(8);
		const all = await reached();
		expect(table.filter((field) => !all.has(field))).toStrictEqual([]);
	});

	it('has a parameter for every nested field of the notes', async () => {
		const all = await reached();
		for (const field of nested[name] ?? []) {
			const [top = '', ...below] = field.split('.');
			const row = requestTable(path).find(({ names }) => names.includes(top));
			expect(row?.notes).toContain(below.at(-1));
		}
		expect((nested[name] ?? []).filter((field) => !all.has(field))).toStrictEqual([]);
	});

	it('shows exactly the options of the format', () => {
		const format = textFormats.find((candidate) => candidate.name === name);
		const shown = textOptions
			.filter(({ displayOptions }) => {
				const formats = displayOptions?.show?.['/format'];
				return formats === undefined || formats.includes(name);
			})
			.map((option) => option.name);
		expect(shown.sort()).toStrictEqual(Object.keys(format?.options ?? {}).sort());
	});
});

/** In formats that allow it, a plain string is a prompt. */
function promptOf(format: string): string {
	return format === 'messages' ? '[{"role": "user", "content": "x"}]' : '"Once upon a time"';
}

describe('the ranges of §4.2', () => {
	const chat = requestTable('/chat/completions');
	test.each([
		['temperature', 'temperature'],
		['topP', 'top_p'],
		['frequencyPenalty', 'frequency_penalty'],
		['presencePenalty', 'presence_penalty'],
	])('%s', async (option, field) => {
		const notes = chat.find(({ names }) => names.includes(field))?.notes ?? '';
		const [, min, max] = /(-?\d+) to (-?\d+)/.exec(notes) ?? [];
		for (const value of [Number(min) - 0.01, Number(max) + 0.01]) {
			const { error } = await generate({ options: { [option]: value } });
			expect(error?.message).toMatch(/has a value that is not allowed/);
			expect(error?.description).toContain(`from ${min} to ${max}`);
		}
		for (const value of [Number(min), Number(max)]) {
			expect(await sentBody({ options: { [option]: value } })).toMatchObject({ [field]: value });
		}
	});

	it.each(textFormats.map(({ name }) => name))(
		'of temperature and top_p apply in the format %s',
		async (format) => {
			for (const option of [{ temperature: -0.01 }, { temperature: 2.01 }, { topP: -0.01 }, { topP: 1.01 }]) {
				const { error } = await generate({ format, options: option });
				expect(error?.message).toMatch(/has a value that is not allowed/);
			}
			const body = await sentBody({ format, options: { temperature: 2, topP: 1 } });
			expect(body).toMatchObject({ temperature: 2, top_p: 1 });
		},
	);

	it('of reasoning effort are the choices of §4.1', async () => {
		const notes = requestTable('/responses').find(({ names }) => names.includes('reasoning'))?.notes ?? '';
		const listed = /`effort` in ((?:`\w+`,? ?)+)/.exec(notes)?.[1]?.match(/\w+/g) ?? [];
		const effort = textOptions.find(({ name }) => name === 'reasoningEffort');
		expect(effort?.options?.map((option) => (option as INodePropertyOptions).value)).toStrictEqual(listed);
		const { error } = await generate({ options: { reasoningEffort: '={{ "extreme" }}' } });
		expect(error?.message).toBe('The option \'Reasoning Effort\' has a value that is not allowed: "extreme"');
	});
});
