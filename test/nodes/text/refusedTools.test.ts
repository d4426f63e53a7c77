import type { INodeParameters } from 'n8n-workflow';

import { useNock } from '../../helpers/nock';
import { generate, sentBody } from './support';

// Tools without a name, and the choice of a built-in tool.

useNock();

const SEARCH = '[{ "type": "web_search" }]';
const responses = (parameters: INodeParameters): INodeParameters => ({ format: 'responses', ...parameters });

it.each<[string, INodeParameters, unknown]>([
	['by its type', { toolChoice: 'function', toolChoiceName: 'web_search' }, { type: 'web_search' }],
	[
		'by an expression',
		{ toolChoice: '={{ "web_search" }}', toolChoiceName: 'unused' },
		{ type: 'web_search' },
	],
	['as any tool', { toolChoice: 'required' }, 'required'],
])('a built-in tool is chosen %s', async (_, parameters, choice) => {
	const body = await sentBody(responses({ ...parameters, options: { builtInTools: SEARCH } }));
	expect(body.tool_choice).toStrictEqual(choice);
});

it('a tool must be there', async () => {
	const { error } = await generate({ toolChoice: 'required' });
	expect(error?.message).toBe("'Tool Choice' is 'Must Call a Tool', but there are no tools");
});

it.each<[string, INodeParameters, string]>([
	['a tool without a name', { tools: { function: [{ name: ' ' }] } }, "'Tools', row 1: 'Name' is empty"],
	[
		'a built-in tool that is no object',
		responses({ options: { builtInTools: '["web_search"]' } }),
		"'Built-In Tools (JSON)': tool 1 has no type",
	],
])('%s is refused before it is sent', async (_, parameters, message) => {
	const { error } = await generate(parameters);
	expect(error?.message).toBe(message);
	expect(error?.description).toContain('Nothing was sent.');
});
