import { echoGateway, errorResponse, generate, items } from '../helpers/echoGateway';
import { catalogue, creations, envelope, files, gateway, model, run, TASKS } from '../helpers/media';
import { useNock } from '../helpers/nock';

useNock();

describe('the tool of an AI Agent', () => {
	it.each([
		[true, /wallet\. .*Top up/, /^$/],
		[false, /wallet$/, /Top up/],
	])(
		'gets the hint in the message, a workflow in the description, and both get it once: %j',
		async (asTool, message, description) => {
			echoGateway(() => errorResponse(402, 'insufficient_quota'));
			const { error } = await generate({ items: items(1), asTool });
			expect(error?.message).toMatch(message);
			expect(error?.description).toMatch(description);
		},
	);

	it.each(['download', 'createAndWait'])('returns small JSON and no files: %s', async (operation) => {
		creations();
		catalogue();
		const resultJson = JSON.stringify({ resultUrls: ['https://files.test/a.png'] });
		gateway()
			.persist()
			.get(`${TASKS}/t1`)
			.reply(200, envelope({ state: 'success', resultJson }));
		const file = files().get('/a.png').reply(200, 'bytes');
		const parameters = {
			model,
			inputMode: 'json',
			inputJson: '={{ { prompt: $json.text } }}',
			taskId: 't1',
			downloadResults: true,
			// The first poll is sent at once.
			options: { idempotencyScope: 'workflow' },
		};
		const { items: outputs, error } = await run(operation, parameters, { asTool: true });
		expect(error).toBeUndefined();
		expect(outputs[0]?.binary).toBeUndefined();
		expect(outputs[0]?.json).toMatchObject({ taskId: 't1', resultUrls: ['https://files.test/a.png'] });
		expect(file.isDone()).toBe(false);
	});
});
