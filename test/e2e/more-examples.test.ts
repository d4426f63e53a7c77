import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import type { RunResult } from '../../sandbox/n8n/executions';
import type { WorkflowJson } from '../../sandbox/n8n/types';
import { loadExample } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { everySecond, gatewayNode, setNode, workflowOf } from './support/workflows';

// Examples about money and tables, as a user imports and runs them.

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
const withoutRetries = ['bulk-media', '"maxPriceRub":50', '"maxPriceRub":50,"maxRetries":0'] as const;

/** What was charged, by model. */
const charged = () => {
	const sums: Record<string, number> = {};
	for (const { model, amount } of environment.gateway.control.ledger())
		sums[model] = Number(sumOfCosts(String(sums[model] ?? 0), amount));
	return sums;
};
const posts = () => environment.gateway.control.requests({ method: 'POST' });
const rowsOf = (result: RunResult, node: string) => result.nodes[node]?.items.map(({ json }) => json) ?? [];
/** The sums that a node shows by model. */
const shown = (result: RunResult, node: string) =>
	Object.fromEntries(rowsOf(result, node).map(({ model, costRub }) => [model as string, costRub as number]));

test('a refused picture is sent again, a paid one is fetched, and what fails for good is shown', async () => {
	const { control } = environment.gateway;
	control.configure({ taskDuration: { image: 500 } });
	const refused = { kind: 'error', code: 'service_unavailable' } as const;
	control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: refused, times: 4 });
	control.addFault({ match: { host: 'files' }, action: { kind: 'raw', status: 500, body: 'empty' } });
	const result = await environment.runWorkflow(await edited(...withoutRetries));
	expect(result.error).toBeUndefined();
	expect(rowsOf(result, 'Draw')).toHaveLength(3);
	expect(rowsOf(result, 'Fetch the result')).toHaveLength(1);
	expect(rowsOf(result, 'Pictures')).toMatchObject([{ state: 'success' }]);
	expect(rowsOf(result, 'What went wrong').map(({ idea }) => idea)).toStrictEqual([
		'a fox in the first snow',
	]);
	expect(control.ledger()).toHaveLength(4);
});

test('a picture that is refused again and again is shown after four tries', async () => {
	const { control } = environment.gateway;
	control.configure({ taskDuration: { image: 500 } });
	const refused = { kind: 'error', code: 'no_providers' } as const;
	control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: refused, times: 0 });
	const { data } = await environment.execute(await edited(...withoutRetries));
	const shownIdeas = data.resultData.runData['What went wrong']?.flatMap(
		(run) => run.data?.['main']?.[0]?.map(({ json }) => json['idea']) ?? [],
	);
	expect(shownIdeas?.sort()).toStrictEqual([
		'a fox in the first snow',
		'a harbour at dawn',
		'a lighthouse in a winter storm',
		'a market full of oranges',
		'a tram in the rain at night',
	]);
	expect(posts()).toHaveLength(16);
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
		await environment.runWorkflow(await edited('ai-costs', '"value":100', `"value":${limit}`));
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
	const stopping = JSON.stringify(await loadExample('ai-costs')).replaceAll(
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

test('the alert is the message of the trigger: once when the balance falls, and again after it has risen', async () => {
	const { client, gateway } = environment;
	const minutes = '[{"mode":"everyX","value":5,"unit":"minutes"}]';
	const quick = await edited('balance-alert', minutes, JSON.stringify(everySecond));
	const workflow = await environment.store(quick);
	gateway.control.setBalance('500.00');
	await client.activate(workflow);
	const polled = async (times: number) =>
		await eventually(() => {
			const polls = gateway.control.requests({ path: '/balance' }).filter(({ endedAt }) => endedAt !== null);
			expect(polls.length).toBeGreaterThanOrEqual(times);
		});
	const alerts = async () => {
		const results = (await environment.executionsOf(workflow, 0)).reverse();
		return results.flatMap((result) => rowsOf(result, 'Send the alert').map(({ message }) => message));
	};
	const polls = () => gateway.control.requests({ path: '/balance' }).length;
	await polled(1);
	const set = async (amount: string, expected: string[]) => {
		gateway.control.setBalance(amount);
		await polled(polls() + 2);
		await eventually(async () => expect(await alerts()).toStrictEqual(expected), 30_000);
	};
	const first = 'The balance is ₽99.50, below the threshold of ₽100';
	await set('882.00', []);
	await set('99.50', [first]);
	await set('98.00', [first]);
	await set('110.00', [first]);
	await set('42.42', [first, 'The balance is ₽42.42, below the threshold of ₽100']);
	await client.deactivate(workflow);
});

test('*Get* with a threshold alerts every hour while the balance is low', async () => {
	const { client, gateway } = environment;
	// What takes hours in a real workflow takes seconds here.
	const hourly = {
		name: 'Every hour',
		type: 'n8n-nodes-base.scheduleTrigger',
		typeVersion: 1.2,
		parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } },
	};
	const low = { id: 'low', leftValue: '={{ $json.lowBalance }}', rightValue: '' };
	const operator = { type: 'boolean', operation: 'true', singleValue: true };
	const strict = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const isLow = {
		name: 'Is it low?',
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: {
			conditions: { options: strict, conditions: [{ ...low, operator }], combinator: 'and' },
			options: {},
		},
	};
	const nodes = [
		hourly,
		gatewayNode('Get balance', 'balance', { options: { threshold: 100 } }),
		isLow,
		setNode('Alert', [{ name: 'left', type: 'string', value: '={{ $json.amount }}' }]),
	];
	const routes = { 'Every hour': ['Get balance'], 'Get balance': ['Is it low?'], 'Is it low?': ['Alert'] };
	const workflow = await environment.store(workflowOf('Hourly', nodes, routes));
	gateway.control.setBalance('500.00');
	await client.activate(workflow);
	const told = async () =>
		(await environment.executionsOf(workflow, 0))
			.reverse()
			.flatMap((result) => rowsOf(result, 'Alert').map(({ left }) => left));
	const set = async (amount: string) => {
		gateway.control.setBalance(amount);
		await eventually(async () => expect((await told()).at(-1)).toBe(amount), 30_000);
	};
	await set('99.50');
	await set('98.00');
	gateway.control.setBalance('110.00');
	const count = gateway.control.requests({ path: '/balance' }).length;
	await eventually(() =>
		expect(gateway.control.requests({ path: '/balance' }).length).toBeGreaterThan(count + 2),
	);
	await set('42.42');
	await client.deactivate(workflow);
	expect([...new Set(await told())]).toStrictEqual(['99.50', '98.00', '42.42']);
});

describe('a table of products', () => {
	/** What each product's row says in the end. */
	const products = (result: RunResult) => rowsOf(result, 'Fill in the row');

	test('each product gets its text, its picture and its cost, and is paid once', async () => {
		const { control } = environment.gateway;
		control.configure({ taskDuration: { image: 100 } });
		const refused = { kind: 'error', code: 'insufficient_quota' } as const;
		control.addFault({ match: { method: 'POST', model: 'aurora/retouch-1' }, action: refused });
		const first = await environment.runWorkflow(await loadExample('product-table'));
		expect(first.error).toBeUndefined();
		const done = (product: string, photo = '') => ({
			product,
			photo,
			title: expect.stringContaining(product) as string,
			description: expect.stringContaining(product) as string,
			picture: expect.stringMatching(/^http/) as string,
			costRub: expect.any(Number) as number,
			problem: '',
		});
		const oak = ['Oak coffee table', 'https://example.com/oak-coffee-table.jpg'] as const;
		expect(products(first)).toMatchObject([done('Brass desk lamp'), done('Wool blanket')]);
		expect(rowsOf(first, 'Note the problem')).toMatchObject([
			{ product: oak[0], picture: null, problem: 'There is not enough money in the gateway wallet' },
		]);
		expect(first.nodes['Pictures']?.items.map(({ binary }) => binary?.['data']?.fileName)).toStrictEqual([
			'Brass desk lamp.png',
			'Wool blanket.png',
		]);
		expect(control.ledger()).toHaveLength(5);

		const second = await environment.runWorkflow(await loadExample('product-table'));
		expect(products(second)).toMatchObject([done(...oak)]);
		expect(control.ledger()).toHaveLength(7);
		const retouched = control.tasks().at(-1);
		expect(retouched?.input).toMatchObject({ image_urls: [oak[1]] });
		const paid = control.ledger().slice(5);
		expect(products(second)[0]?.['costRub']).toBe(Number(sumOfCosts(...paid.map(({ amount }) => amount))));

		const third = await environment.runWorkflow(await loadExample('product-table'));
		expect(third.error).toBeUndefined();
		expect(third.nodes).not.toHaveProperty('Describe');
		expect(control.ledger()).toHaveLength(7);
	});
});
