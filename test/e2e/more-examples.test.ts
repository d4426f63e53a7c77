import type { WorkflowJson } from '../../sandbox/n8n/types';
import { loadExample, withCredential } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';

// Examples about money, as a user imports and runs them.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
});

test('a refused item is sent again, a paid task is fetched, and what fails for good is shown', async () => {
	const { control } = environment.gateway;
	control.configure({ taskDuration: { image: 500 } });
	const workflow = await loadExample('retry-failures');
	// The node's own retries would hide the failures.
	const text = JSON.stringify(workflow).replace('"maxPriceRub":50', '"maxPriceRub":50,"maxRetries":0');
	expect(text).toContain('"maxRetries":0');
	const refused = { kind: 'error', code: 'service_unavailable' } as const;
	control.addFault({ match: { method: 'POST', path: '/async/media/tasks' }, action: refused, times: 4 });
	control.addFault({ match: { host: 'files' }, action: { kind: 'raw', status: 500, body: 'empty' } });
	const result = await environment.runWorkflow(JSON.parse(text) as WorkflowJson);
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
	const text = JSON.stringify(await loadExample('retry-failures'));
	const quick = text.replace('"maxPriceRub":50', '"maxPriceRub":50,"maxRetries":0');
	const result = await environment.runWorkflow(JSON.parse(quick) as WorkflowJson);
	expect(result.nodes['What went wrong']?.items.map(({ json }) => json['idea'])).toHaveLength(3);
	expect(control.requests({ method: 'POST' })).toHaveLength(12);
	expect(control.ledger()).toStrictEqual([]);
});

test('each call is a row of the cost ledger, and the sums by model are what was charged', async () => {
	const workflow = await loadExample('cost-ledger');
	for (const rows of [2, 4]) {
		const result = await environment.runWorkflow(workflow);
		expect(result.error).toBeUndefined();
		expect(result.nodes['All rows']?.items).toHaveLength(rows);
		const charged = environment.gateway.control.ledger().reduce((sum, { amount }) => sum + Number(amount), 0);
		const [sum, ...others] = result.nodes['Cost by model']?.items ?? [];
		expect(others).toStrictEqual([]);
		expect(sum?.json).toMatchObject({ model: 'sandbox/balanced-2', count_model: rows });
		expect(sum?.json['sum_costRub']).toBeCloseTo(charged);
	}
});

describe('a picture that somebody approves', () => {
	/** Fills in the forms as a browser does; returns the last page. */
	async function answer(choice: 'Yes' | 'No'): Promise<{ price: string; page: string }> {
		const { client, credential } = environment;
		const example = await loadExample('approval');
		const workflow = await client.createWorkflow(withCredential(example, credential));
		await client.activate(workflow);
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
