import nock from 'nock';

import { attemptContext, executeOn } from '../helpers/attempt';
import type { RunOptions } from '../helpers/engine';
import { useNock } from '../helpers/nock';

// How often n8n is asked for parameters in a run over several items.

useNock();

const items = ['a', 'b', 'c', 'd'].map((id) => ({ json: { id } }));

/** Gets files; returns the requests that were sent, and how often n8n was asked for each parameter. */
async function getFiles(parameters: RunOptions['parameters']) {
	const sent: string[] = [];
	nock('https://gateway.test')
		.persist()
		.get(/^\/api\/v1\/storage\//)
		.reply(function () {
			sent.push(this.req.path.replace(/.*\//, ''));
			return [200, { id: 'file' }];
		});
	const options: RunOptions = {
		node: 'storage',
		parameters: { resource: 'file', operation: 'get', simplify: false, ...parameters },
		items,
	};
	const context = await attemptContext(options);
	const spy = jest.spyOn(context, 'getNodeParameter');
	await executeOn(options, context);
	const requested: Record<string, number> = {};
	for (const [name] of spy.mock.calls) requested[name] = (requested[name] ?? 0) + 1;
	return { sent, requested };
}

it('asks n8n once per run for parameters that have no expression', async () => {
	const { sent, requested } = await getFiles({ fileId: 'x', options: { maxRetries: 0 } });
	expect(sent).toStrictEqual(['x', 'x', 'x', 'x']);
	expect(requested).toStrictEqual({ resource: 1, operation: 1, options: 1, fileId: 1, simplify: 1 });
});

it('asks n8n for each item for a parameter that has an expression', async () => {
	const { sent, requested } = await getFiles({ fileId: '={{ $json.id }}', options: { concurrency: 1 } });
	expect(sent).toStrictEqual(['a', 'b', 'c', 'd']);
	expect(requested).toStrictEqual({ resource: 1, operation: 1, options: 1, fileId: 4, simplify: 1 });
});
