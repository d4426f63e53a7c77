import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { gateway } from './support';

useNock();

const catalogue = [
	{ id: 'acme/writer', context_length: 8000, cost_context: 0.0001, extra: { kept: true } },
	{ id: 'acme/painter', context_length: 16000 },
	{ id: 'zeta/writer-mini', context_length: 32000 },
	{ name: 'no id' },
];

const run = async (parameters: INodeParameters) => {
	gateway().get('/api/v1/models').reply(200, { data: catalogue });
	return await runNode({ node: 'textGeneration', parameters: { resource: 'model', ...parameters } });
};

it.each<[string, INodeParameters, unknown[]]>([
	['all', { returnAll: true }, catalogue.slice(0, 3)],
	['those with all words', { search: 'WRITER zeta' }, [catalogue[2]]],
	['a limited number', { limit: 2 }, catalogue.slice(0, 2)],
])('getMany returns %s, with the gateway’s fields', async (_, parameters, models) => {
	const { items } = await run({ operation: 'getMany', ...parameters });
	expect(items.map(({ json }) => json)).toStrictEqual(models);
});

it('getMany rejects an invalid limit', async () => {
	const { error } = await run({ operation: 'getMany', limit: '={{ "many" }}' });
	expect(error?.message).toBe('\'Limit\' has a value that is not allowed: "many"');
	expect(error?.description).toContain('Enter a whole number of at least 1.');
});

it('get returns one model', async () => {
	const { items } = await run({ operation: 'get', model: { __rl: true, mode: 'id', value: 'acme/writer' } });
	expect(items.map(({ json }) => json)).toStrictEqual([catalogue[0]]);
});

it('get rejects an unknown model, and is not retryable', async () => {
	gateway().get('/api/v1/models').reply(200, { data: catalogue });
	const { items } = await runNode({
		node: 'textGeneration',
		parameters: { resource: 'model', operation: 'get', model: 'qqq' },
		settings: { onError: 'continueRegularOutput' },
	});
	expect(items[0]?.json.error).toMatchObject({
		message: 'The catalogue has no text model "qqq"',
		param: 'model',
		description: expect.stringContaining('from the list') as string,
		retryable: false,
	});
});
