import { checkPng } from '../../sandbox/demo/png';
import { loadExample } from '../../sandbox/n8n/workflows';
import { Environment } from './support/environment';

// The example workflows, besides that of the demo (main-job.test.ts), as a user imports and runs them.

let environment: Environment;

beforeAll(async () => {
	environment = await Environment.start();
});
afterAll(async () => {
	await environment?.close();
});

test('many pictures at once: what works comes with its picture and price, what fails leaves through the error output', async () => {
	const result = await environment.runWorkflow(await loadExample('bulk-media'));
	expect(result.error).toBeUndefined();
	const pictures = result.nodes['Pictures']?.items ?? [];
	expect(pictures).toHaveLength(4);
	for (const item of pictures) {
		expect(item.json).toMatchObject({ state: 'success', priceRub: expect.any(Number) as number });
		expect(checkPng(await environment.readBinary(item))).toEqual({ width: 512, height: 512 });
	}
	expect(result.nodes['What went wrong']?.items.map(({ json }) => json)).toEqual([
		{
			idea: 'a fox in the first snow',
			problem: expect.stringMatching(/price|input/) as string,
			advice: expect.stringMatching(/quality/) as string,
		},
	]);
	const paid = environment.gateway.control.ledger();
	expect(paid).toHaveLength(4);
	expect(pictures.reduce((sum, { json }) => sum + Number(json['priceRub']), 0)).toBeCloseTo(
		paid.reduce((sum, { amount }) => sum + Number(amount), 0),
	);
});
