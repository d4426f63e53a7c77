import { catalogue, creations, model, run } from '../../helpers/media';
import { useNock } from '../../helpers/nock';
import { freshTask, sendCallback, task } from '../mediaTaskTrigger/support';

useNock();

const callbackUrl = 'https://n8n.example.com/webhook/a';
const parameters = { model, inputMode: 'json', inputJson: '{"prompt": "A cat"}' };
const create = async (options: object) => await run('create', { ...parameters, options });

describe('Pass Through', () => {
	it.each<[string, unknown]>([
		['an object as text', '{ "orderId": 1042, "who": "Аня" }'],
		['an object of an expression', '={{ { orderId: 1042, who: "Аня" } }}'],
	])('given as %s comes back through the trigger', async (_, passThrough) => {
		catalogue();
		const sent = creations();
		const { error } = await create({ callbackUrl, passThrough });
		expect(error).toBeUndefined();
		const url = new URL(String(sent[0]?.body.callBackUrl));
		expect(url.origin + url.pathname).toBe(callbackUrl);
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const query = Object.fromEntries(url.searchParams);
		const { item } = await sendCallback({ downloadResults: false }, { query, body: { taskId } });
		expect(item?.json).toMatchObject({ taskId, passThrough: { orderId: 1042, who: 'Аня' } });
	});

	it.each<[string, object]>([
		['the data', { passThrough: '{"orderId": 1}' }],
		['no data', {}],
	])('does not change the idempotency key: %s', async (_, more) => {
		catalogue();
		const sent = creations();
		await create({ callbackUrl, passThrough: '{"orderId": 2}' });
		await create({ callbackUrl, ...more });
		expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
	});

	it.each<[string, object, string]>([
		[
			'nothing from an expression',
			{ callbackUrl, passThrough: '={{ $json.missing }}' },
			"The option 'Pass Through (JSON)' is not valid JSON",
		],
		[
			'more than 2 KB',
			{ callbackUrl, passThrough: JSON.stringify({ text: 'x'.repeat(2048) }) },
			"'Pass Through (JSON)' is too large",
		],
		[
			'data without a callback URL',
			{ passThrough: '{"orderId": 1}' },
			"'Pass Through (JSON)' needs a 'Callback URL'",
		],
	])('refuses %s before anything is sent', async (_, options, message) => {
		catalogue();
		const sent = creations();
		const { error } = await create(options);
		expect(error?.message).toContain(message);
		expect(sent).toStrictEqual([]);
	});
});

describe('the trigger', () => {
	it('starts without the data when it is not readable', async () => {
		const taskId = freshTask();
		task(taskId, { state: 'success' });
		const query = { passThrough: 'e30.e30' };
		const { item } = await sendCallback({ downloadResults: false }, { query, body: { taskId } });
		expect(item?.json).toMatchObject({ taskId });
		expect(item?.json).not.toHaveProperty('passThrough');
	});
});
