import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import type { RunResult } from '../../sandbox/n8n/executions';
import type { WorkflowJson } from '../../sandbox/n8n/types';
import { loadExample } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';

// Examples about money, as a user imports and runs them.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
});

/** An example with a part of its JSON edited. */
async function edited(name: string, from: string, to: string): Promise<WorkflowJson> {
	const text = JSON.stringify(await loadExample(name));
	expect(text).toContain(from);
	return JSON.parse(text.replace(from, to)) as WorkflowJson;
}
// The node's own retries would hide the failures.
const withoutRetries = ['retry-failures', '"maxPriceRub":50', '"maxPriceRub":50,"maxRetries":0'] as const;

/** What was charged, by model. */
const charged = () => {
	const sums: Record<string, number> = {};
	for (const { model, amount } of environment.gateway.control.ledger())
		sums[model] = (sums[model] ?? 0) + Number(amount);
	return sums;
};
const posts = () => environment.gateway.control.requests({ method: 'POST' });
const rowsOf = (result: RunResult, node: string) => result.nodes[node]?.items.map(({ json }) => json) ?? [];
/** The sums that a node shows by model. */
const shown = (result: RunResult, node: string) =>
	Object.fromEntries(
		rowsOf(result, node).map(({ model, sum_costRub: sum }): [string, number] => [
			model as string,
			expect.closeTo(Number(sum), 6) as number,
		]),
	);

test('a refused item is sent again, a paid task is fetched, and what fails for good is shown', async () => {
	const { control } = environment.gateway;
	control.configure({ taskDuration: { image: 500 } });
	const refused = { kind: 'error', code: 'service_unavailable' } as const;
	control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: refused, times: 4 });
	control.addFault({ match: { host: 'files' }, action: { kind: 'raw', status: 500, body: 'empty' } });
	const result = await environment.runWorkflow(await edited(...withoutRetries));
	expect(result.error).toBeUndefined();
	expect(result.nodes['Fetch the result']?.items).toHaveLength(1);
	expect(result.nodes['Pictures']?.items).toMatchObject([{ json: { state: 'success' } }]);
	expect(result.nodes).not.toHaveProperty('What went wrong');
	expect(control.ledger()).toHaveLength(3);
});

test('an item that is refused again and again is shown after four tries', async () => {
	const { control } = environment.gateway;
	control.configure({ taskDuration: { image: 500 } });
	const refused = { kind: 'error', code: 'no_providers' } as const;
	control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: refused, times: 0 });
	const result = await environment.runWorkflow(await edited(...withoutRetries));
	expect(rowsOf(result, 'What went wrong').map(({ idea }) => idea)).toHaveLength(3);
	expect(posts()).toHaveLength(12);
	expect(control.ledger()).toStrictEqual([]);
});

test('each model answers each question: one that fails has its error in the table, the sums are what was charged', async () => {
	const result = await environment.runWorkflow(await edited('compare-models', 'sandbox/grand-4', 'no/such'));
	expect(result.error).toBeUndefined();
	const rows = rowsOf(result, 'Table');
	const good = { answer: expect.any(String) as string, tokens: expect.any(Number) as number, error: null };
	const bad = { answer: null, costRub: null, error: 'The gateway does not know this model' };
	const ofQuestion = (question: string) => [
		{ question, model: 'sandbox/swift-1', ...good },
		{ question, model: 'sandbox/balanced-2', ...good },
		{ question, model: 'no/such', ...bad },
	];
	const questions = [...new Set(rows.map(({ question }) => question as string))];
	expect(questions).toHaveLength(2);
	expect(rows).toMatchObject(questions.flatMap(ofQuestion));
	expect({ ...charged(), 'no/such': 0 }).toStrictEqual(shown(result, 'Sum by model'));
});

test('an empty list of models stops the comparison before anything is sent', async () => {
	const models = String.raw`[\"sandbox/swift-1\", \"sandbox/balanced-2\", \"sandbox/grand-4\"]`;
	const result = await environment.runWorkflow(await edited('compare-models', models, '[]'));
	expect(result.error?.message).toBe("The list in 'Models' is empty. Add the ID of a model.");
	expect(posts()).toStrictEqual([]);
});

test('an answer is paid once: for the same question twice, and in later runs; a failed one is asked for again', async () => {
	const { control } = environment.gateway;
	const refused = { kind: 'error', code: 'insufficient_quota' } as const;
	control.addFault({ match: { method: 'POST', path: '/chat/completions' }, action: refused, times: 2 });
	for (const [answers, problems, sent] of [
		[0, 2, 2],
		[3, 0, 4],
		[3, 0, 4],
	] as const) {
		const result = await environment.runWorkflow(await loadExample('answer-cache'));
		expect(result.error).toBeUndefined();
		expect(rowsOf(result, 'All answers')).toHaveLength(answers);
		expect(rowsOf(result, 'What went wrong')).toHaveLength(problems);
		expect(posts()).toHaveLength(sent);
	}
	expect(control.ledger()).toHaveLength(2);
	const other = await edited('answer-cache', 'sandbox/balanced-2', 'sandbox/swift-1');
	expect(rowsOf(await environment.runWorkflow(other), 'All answers')).toHaveLength(3);
	expect(control.ledger()).toHaveLength(4);
});

test('the costs of agent, text and task are summed up, also of a failed run, until the limit of the day is reached', async () => {
	const { control } = environment.gateway;
	const run = async (limit: number) =>
		await environment.runWorkflow(await edited('daily-limit', '"value":100', `"value":${limit}`));
	const spent = () => Number(sumOfCosts(...control.ledger().map(({ amount }) => amount)));
	const first = await run(100);
	expect(first.error).toBeUndefined();
	expect(Object.keys(charged())).toStrictEqual(['sandbox/balanced-2', 'sandbox/swift-1', 'aurora/canvas-1']);
	expect(charged()).toStrictEqual(shown(first, 'Sums'));

	const sent = posts().length;
	expect((await run(spent())).error?.message).toMatch(
		`Today's limit of ₽${spent()} is reached: ₽${spent().toFixed(2)} are spent. Nothing was sent.`,
	);
	expect(posts()).toHaveLength(sent);

	const refused = { kind: 'error', code: 'insufficient_quota' } as const;
	control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: refused });
	const failed = await run(spent() + 0.000001);
	expect(rowsOf(failed, 'Add costs')).toMatchObject([
		{ model: 'aurora/canvas-1', costRub: 0, error: 'There is not enough money in the gateway wallet' },
	]);
	expect(charged()).toStrictEqual(shown(failed, 'Sums'));
});

test('a *Retry* adds only its own costs', async () => {
	const { client, gateway } = environment;
	const stopping = JSON.stringify(await loadExample('daily-limit')).replaceAll(
		',"onError":"continueErrorOutput"',
		'',
	);
	const refused = { kind: 'error', code: 'insufficient_quota' } as const;
	gateway.control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: refused });
	const { id, status } = await environment.execute(JSON.parse(stopping) as WorkflowJson);
	expect(status).toBe('error');
	const again = await environment.end(await client.retryExecution(id));
	const costRub = charged()['aurora/canvas-1'];
	expect(rowsOf(again, 'Add costs')).toMatchObject([{ model: 'aurora/canvas-1', costRub }]);
});

describe('a picture that somebody approves', () => {
	/** Fills in the forms as a browser does; returns the last page. */
	async function answer(choice: 'Yes' | 'No'): Promise<{ price: string; page: string }> {
		const { client } = environment;
		const example = await loadExample('approval');
		const workflow = await environment.publish(example);
		const trigger = example.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
		const url = `${client.url}/form/${String(trigger?.webhookId)}`;
		const send = async (address: string, value: string) => {
			const body = new FormData();
			body.set('field-0', value);
			return await fetch(address, { method: 'POST', body });
		};
		// n8n does not respond to a page that is asked for while the execution runs.
		const read = async (address: string) =>
			await (await fetch(address, { signal: AbortSignal.timeout(2_000) })).text();
		const begun = await eventually(async () => {
			const response = await send(url, 'a red fox');
			if (!response.ok) throw new Error(`The form is not there yet: ${response.status}`);
			return response;
		});
		const { formWaitingUrl } = (await begun.json()) as { formWaitingUrl: string };
		const price = await eventually(async () => {
			const text = await read(formWaitingUrl);
			if (!text.includes('This picture costs')) throw new Error(`No price yet: ${text.slice(0, 200)}`);
			return text;
		});
		expect(environment.gateway.control.ledger()).toStrictEqual([]);
		await send(formWaitingUrl, choice);
		const page = await eventually(async () => {
			const text = await read(formWaitingUrl);
			if (!/Your picture|Nothing was created/.test(text)) throw new Error(`Not over: ${text.slice(0, 200)}`);
			return text;
		});
		await client.send('POST', `/rest/workflows/${workflow.id}/archive`, {});
		return { price, page };
	}

	test('is created and charged at the price that was shown', async () => {
		const { price, page } = await answer('Yes');
		const [charge, ...others] = environment.gateway.control.ledger();
		expect(others).toStrictEqual([]);
		expect(price).toContain(`This picture costs ₽${Number(charge?.amount)}`);
		expect(page).toContain('Your picture');
	});

	test('is not created otherwise, and nothing is charged', async () => {
		const { page } = await answer('No');
		expect(page).toContain('Nothing was created');
		expect(environment.gateway.control.ledger()).toStrictEqual([]);
		expect(environment.gateway.control.tasks()).toStrictEqual([]);
	});
});
