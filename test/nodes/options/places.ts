import { HumanMessage } from '@langchain/core/messages';
import type { INodeExecutionData, INodeParameters, INodeProperties } from 'n8n-workflow';

import { asObject } from '../../../nodes/shared/gateway/util/json';
import { useGateway } from '../../contract/support';
import type { RunOptions } from '../../helpers/engine';
import { collected, nodesByName } from '../../helpers/panel';
import { CONTINUE, FORMATS, form, locator } from '../../helpers/values';

// The places that show options: an operation, also as a tool of an agent, or the chat model with an API format.

/** That of the test file. */
export const gateway = useGateway();

export const MODEL = 'sandbox/balanced-2';
const TEXT = { model: locator(MODEL), prompt: '={{ "Hello " + $json.n }}' };
const LINK = { source: 'url', url: 'https://files.test/a.png' };
const DRAFT = { quality: 'draft', size: '512x512', num_images: 2 };
const TASK_ID = '9b2d7c1e-0000-4000-8000-000000000001';
const PROMPT = '={{ "A cat " + $json.n }}';

const media = (model: string, input: object) => ({
	model: locator(model),
	prompt: PROMPT,
	inputMode: 'form',
	input: form(input),
});
const json = (input: object) => ({
	model: locator('aurora/canvas-1'),
	inputMode: 'json',
	prompt: PROMPT,
	inputJson: JSON.stringify(input),
});
const task = { taskId: TASK_ID };
const file = { fileId: 'f1' };

/** The parameters without options of a call, by node and operation. */
export const PLACES: Record<string, object> = {
	...Object.fromEntries(
		FORMATS.map((format) => [`textGeneration text/generate ${format}`, { ...TEXT, format }]),
	),
	'textGeneration image/analyze': { ...TEXT, ...LINK },
	'textGeneration video/analyze': { ...TEXT, ...LINK, url: 'https://files.test/a.mp4' },
	'textGeneration document/read': { ...TEXT, source: 'url', url: 'data:application/pdf;base64,JVBERi0=' },
	'textGeneration audio/transcribe': { ...TEXT, source: 'url', url: 'data:audio/mpeg;base64,SUQzBAA=' },
	'textGeneration model/getMany': {},
	'textGeneration model/get': { model: locator(MODEL) },
	'mediaTask image/generate': media('aurora/canvas-1', DRAFT),
	'mediaTask image/edit': media('aurora/retouch-1', { image_urls: '["https://files.test/a.png"]' }),
	'mediaTask video/generate': media('lumen/motion-2', { duration: 5, resolution: '480p' }),
	'mediaTask music/generate': media('harmonia/song-3', {}),
	'mediaTask speech/generate': media('voxa/speech-1', { voice: 'anna' }),
	'mediaTask task/create': json(DRAFT),
	'mediaTask task/createAndWait': json(DRAFT),
	'mediaTask task/wait': task,
	'mediaTask task/get': task,
	'mediaTask task/getMany': {},
	'mediaTask task/getFromExecution': {},
	'mediaTask task/download': task,
	'mediaTask task/archive': task,
	'mediaTask task/unarchive': task,
	'mediaTask task/delete': task,
	'mediaTask task/restore': task,
	'mediaTask task/getLyrics': { ...task, audioId: 'a1' },
	'mediaTask model/getMany': {},
	'mediaTask session/create': {},
	'storage file/upload': { uploadSource: 'base64', base64: 'QUJD', mimeType: 'image/png' },
	'storage file/get': file,
	'storage file/getMany': {},
	'storage file/download': file,
	'storage file/delete': file,
	'balance balance/get': {},
	...Object.fromEntries(FORMATS.map((format) => [`chatModel ${format}`, { format }])),
};

export interface Place {
	name: string;
	node: string;
	resource?: string | undefined;
	operation?: string | undefined;
	format: string;
	/** Those of a group with its name, such as `sampling.topP`. */
	options: string[];
	asTool?: true;
}

const TRIGGERS = /Trigger$/;

const shownIn = (options: INodeProperties[], format: string) =>
	options.filter(({ displayOptions }) => displayOptions?.show?.['/format']?.includes(format) !== false);

/** The options of a collection that a format shows, and those of the collections in it. */
function optionsIn(property: INodeProperties, format: string): string[] {
	return shownIn(collected(property), format).flatMap((option) => {
		const members = option.type === 'collection' ? optionsIn(option, format) : undefined;
		return members?.map((name) => `${option.name}.${name}`) ?? option.name;
	});
}

/** The places that the panels show, with their options. */
export const places: Place[] = Object.entries(nodesByName)
	.filter(([node]) => !TRIGGERS.test(node))
	.flatMap(([node, { description }]) =>
		description.properties
			.filter(({ name, type }) => name === 'options' && type === 'collection')
			.flatMap((property) => {
				const shownFor = (name: string) => property.displayOptions?.show?.[name]?.map(String) ?? [undefined];
				const operations = shownFor('resource').flatMap((resource) =>
					shownFor('operation').map((operation) => ({ resource, operation })),
				);
				return operations.flatMap(({ resource, operation }) => {
					const base = resource && operation ? `${node} ${resource}/${operation}` : node;
					const isOne = base in PLACES;
					return (isOne ? ['chat'] : FORMATS).map((format) => {
						const name = isOne ? base : `${base} ${format}`;
						return { name, node, resource, operation, format, options: optionsIn(property, format) };
					});
				});
			}),
	);

/** The operations as tools of an agent, which calls them for one item at a time. */
export const tools = places
	.filter(({ node }) => node !== 'chatModel')
	.map((place): Place => ({ ...place, asTool: true }));

/** What a parameter of an item is in the panel when it is a value of {@link Call.values}. */
export const EACH = '={{ $json.value }}';

interface Call {
	/** One for each item. */
	values?: readonly unknown[];
	/** Beside those of the place. */
	parameters?: INodeParameters;
	/** Of the items. */
	binary?: INodeExecutionData['binary'];
	/** The tools of a chat model. */
	tools?: object[];
}

/** Does the call of a place, for some items one after the other. Returns its items, and the texts of errors. */
export async function call(place: Place, given: INodeParameters, more: Call = {}) {
	return await callAtOnce(place, { concurrency: 1, ...given }, more);
}

/** The same, as many at once as the options allow. */
export async function callAtOnce(place: Place, options: INodeParameters, more: Call = {}) {
	const { values = [null], binary } = more;
	const parameters = { ...PLACES[place.name], ...more.parameters };
	if (place.node === 'chatModel') return await ask(parameters, options, { ...more, values });
	const { resource, operation, asTool } = place;
	const all = values.map((value, n) => ({ json: { n, value } as INodeExecutionData['json'], binary }));
	const results = { items: [] as INodeExecutionData[], errors: '' };
	// An agent calls its tool for one item at a time.
	for (const items of asTool ? all.map((item) => [item]) : [all]) {
		const { run, items: outputs } = await gateway.run({
			node: place.node as RunOptions['node'],
			parameters: { resource, operation, ...parameters, options: shown(place, options) },
			items: items.map(({ binary, ...item }) => (binary ? { ...item, binary } : item)),
			settings: CONTINUE,
			...(asTool ? { asTool } : {}),
		});
		results.items.push(...outputs);
		const { error } = run.data.resultData;
		for (const { json } of [...outputs, { json: { error } }])
			results.errors += json.error ? `${JSON.stringify(json.error)}\n` : '';
	}
	return results;
}

/** Without those that the panel does not have. */
function shown({ options }: Place, given: INodeParameters): INodeParameters {
	const known = (name: string) => options.some((option) => option.split('.')[0] === name);
	return Object.fromEntries(Object.entries(given).filter(([name]) => known(name)));
}

async function ask(parameters: INodeParameters, options: INodeParameters, { values = [], tools }: Call) {
	const { concurrency = values.length, ...own } = options;
	let errors = '';
	const one = async (value: unknown, n: number) => {
		const read = (_: string, one: unknown) => (one === EACH ? value : one);
		const given = JSON.parse(JSON.stringify(own), read) as INodeParameters;
		const { lc } = await gateway.chatModel({ parameters, options: given });
		const model = tools ? lc.bindTools(tools) : lc;
		await model
			.invoke([new HumanMessage(`Hello ${n}`)])
			.catch((error: unknown) => (errors += `${String(error)}\n`));
	};
	if (concurrency === 1) for (const [n, value] of values.entries()) await one(value, n);
	else await Promise.all(values.map(one));
	return { items: [] as INodeExecutionData[], errors };
}

export const requests = () => gateway.control.requests({ host: 'api' });
export const ofCalls = () => requests().filter(({ group }) => group !== 'catalogue' && group !== 'balance');

/** The bodies of texts and creations of tasks. */
export const bodies = () =>
	requests()
		.filter(({ method }) => method === 'POST')
		.map(({ body }) => asObject(body.json) ?? {});

export const always = { match: {}, times: 0 };

/** What an option of a place does: what is seen, and what is right. */
export interface Row {
	see: (place: Place) => Promise<unknown>;
	right: (place: Place) => unknown;
}
