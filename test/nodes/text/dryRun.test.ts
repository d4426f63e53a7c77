import type { IRun } from 'n8n-workflow';

import { useNock } from '../../helpers/nock';
import { runNode } from '../../helpers/engine';
import { endpoints, gateway, generate } from './support';

// A dry run of texts: nothing but the catalogue is there to be requested.

useNock();

const priced = { id: 'acme/writer', cost_context: '0.001', cost_completion: '0.002', context_length: 8_000 };
const dryRun = { dryRun: true };

/** The hints of the node. */
function hintOf(run: IRun): string {
	return JSON.stringify(run.data.resultData.runData.Gateway?.[0]?.hints);
}

function catalogue(records: object[]): void {
	gateway().get('/api/v1/models').reply(200, { data: records });
}

it.each(Object.keys(endpoints))('%s: has the request and the most that it can cost', async (format) => {
	catalogue([priced]);
	const { items, run } = await generate({ format, options: { ...dryRun, maxTokens: 1_000 } });
	expect(items[0]?.json).toMatchObject({
		dryRun: true,
		model: 'acme/writer',
		request: { model: 'acme/writer' },
	});
	expect(items[0]?.json.maxCostRub).toBeGreaterThan(2);
	expect(items[0]?.json.maxCostRub).toBeLessThan(2.5);
	expect(hintOf(run)).toContain('Dry run, nothing was sent. 1 item: at most ₽2.');
});

it('says why the cost is not known', async () => {
	catalogue([priced]);
	const { items, run } = await generate({ options: dryRun });
	expect(items[0]?.json).toMatchObject({
		maxCostRub: null,
		reason: "Unknown, because the length of the response is not limited. Set the option 'Max Tokens'.",
	});
	expect(hintOf(run)).toContain(
		'Dry run, nothing was sent. Prices that are not known: 1, see reason in the output.',
	);
});

it('fails when the catalogue cannot be read', async () => {
	gateway()
		.get('/api/v1/models')
		.reply(401, { error: { code: 'invalid_api_key', message: 'No' } });
	const { error } = await generate({ options: dryRun });
	expect([error?.httpCode, error?.description]).toStrictEqual([
		'401',
		expect.stringContaining('Nothing was sent.'),
	]);
});

it.each(['={{ $json.none }}', '={{ "" }}'])(
	'an expression that returns nothing (%s) is an error, and nothing is sent',
	async (dryRun) => {
		const { error } = await generate({ options: { dryRun } });
		expect(error?.message).toContain("The option 'Dry Run' has a value that is not allowed");
	},
);

it('sums up all items', async () => {
	catalogue([priced]);
	const items = Array.from({ length: 40 }, (_, n) => ({ json: { n } }));
	const { run } = await generate({ options: { ...dryRun, maxTokens: 1_000 } }, { items });
	expect(hintOf(run)).toMatch(/40 items: at most ₽8\d\.\d+\./);
});

it('has placeholders for files', async () => {
	catalogue([priced]);
	const { items } = await runNode({
		node: 'textGeneration',
		parameters: {
			resource: 'image',
			operation: 'analyze',
			model: { __rl: true, mode: 'id', value: 'acme/writer' },
			prompt: 'What is it?',
			options: dryRun,
		},
		items: [{ json: {}, binary: { data: { data: 'aGk=', mimeType: 'image/png' } } }],
	});
	expect(items[0]?.json).toMatchObject({ dryRun: true, request: { model: 'acme/writer' } });
	expect(JSON.stringify(items[0]?.json)).not.toContain('aGk=');
});
