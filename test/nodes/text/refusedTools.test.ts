import type { INodeParameters } from 'n8n-workflow';

import { useNock } from '../../helpers/nock';
import { sentBody } from './support';

// The choice of a built-in tool.

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
