import type { INodeProperties } from 'n8n-workflow';

import { textOptionParameters } from '../../nodes/shared/fields/textOptions';
import { textFormats } from '../../nodes/shared/gateway/text/formats';
import { useNock } from '../helpers/nock';
import { collected, descriptions } from '../helpers/panel';
import { gateway, sentBody } from './text/support';

// The lists under *Add option*: n8n shows only names in them, and all of them at once.

useNock();

/** The most entries of a list, by the node or the resource; in one that is light, nothing but retries and a timeout. */
const MOST: Readonly<Record<string, number>> = {
	text: 20,
	chatModel: 18,
	task: 13,
	model: 2,
	session: 2,
	balance: 3,
};

const formats = textFormats.map(({ name }) => name);

/** Whether a list that nobody has used has an entry in a format. */
function isShown({ displayOptions }: INodeProperties, format: string): boolean {
	const { '/format': formats = [format], ...others } = displayOptions?.show ?? {};
	return formats.includes(format) && Object.keys(others).length === 0;
}

const lists = descriptions.flatMap(({ name: node, properties }) =>
	properties
		.filter(({ name }) => name === 'options')
		.flatMap((list) =>
			formats.map((format) => {
				const [resource] =
					list.displayOptions?.show?.resource?.filter((one) => typeof one === 'string') ?? [];
				const entries = collected(list).filter((entry) => isShown(entry, format));
				return { node, resource, format, labels: entries.map(({ displayName }) => displayName) };
			}),
		),
);

it.each(lists)('$node $resource in $format: short, and no name twice', ({ node, resource, labels }) => {
	expect(labels.length).toBeLessThanOrEqual(MOST[resource ?? node] ?? 10);
	expect(new Set(labels).size).toBe(labels.length);
});

describe.each(formats)('an option that is added and left as it is sends nothing, in %s', (format) => {
	const own = Object.entries(textOptionParameters)
		.map(([name, parameter]) => parameter.property(name))
		.filter((property) => isShown(property, format));

	beforeEach(() => {
		gateway().persist().get('/api/v1/models').reply(200, { data: [] });
	});

	it.each(own.map((property) => [property.name, property] as const))('%s', async (name, property) => {
		const bare = await sentBody({ format });
		const body = await sentBody({ format, options: { [name]: property.default } });
		expect(body).toStrictEqual(bare);
	});
});

test.each([
	['chat', { web_search_options: { search_context_size: 'low' } }],
	['responses', { tools: [{ type: 'web_search' }] }],
])('a web search in %s', async (format, wire) => {
	expect(await sentBody({ format, options: { webSearch: 'low' } })).toMatchObject(wire);
});

test.each(['web_search', 'web_search_preview'])('a web search beside the built-in tool %s', async (type) => {
	const builtInTools = JSON.stringify([{ type, filters: {} }]);
	const options = { webSearch: 'low', builtIn: { values: { builtInTools } } };
	const { tools } = await sentBody({ format: 'responses', options });
	expect(tools).toStrictEqual([{ type, filters: {} }]);
});
