import { quickTime } from '../helpers/time';
import { filled, useGateway } from './support';

// A credential whose fields are expressions: each item has its own account.

const gateway = useGateway();
quickTime();

const ACCOUNTS = ['alice', 'bob', 'alice', 'bob'];

/** Items of two accounts, and the run options that send each with its key. */
function twoAccounts() {
	const keys = new Map(
		[...new Set(ACCOUNTS)].map((account) => [account, gateway.control.createKey({ account }).key]),
	);
	for (const account of keys.keys()) gateway.control.setBalance('100.00', account);
	const items = ACCOUNTS.map((account) => ({ json: { account, key: keys.get(account) ?? '' } }));
	const keyOf = ({ json }: { json: object }) => String((json as { key?: string }).key);
	return { keys, items, options: { items, keyOf } };
}

const chargedAccounts = () =>
	gateway.control
		.ledger()
		.map(({ account }) => account)
		.sort();

it('texts are charged to the account of their item', async () => {
	const { options } = twoAccounts();
	const { items, error } = await gateway.generate({}, options);
	expect([error, items.length]).toStrictEqual([undefined, 4]);
	expect(chargedAccounts()).toStrictEqual(['alice', 'alice', 'bob', 'bob']);
});

it('tasks are created, polled and downloaded by the account of their item', async () => {
	const { options } = twoAccounts();
	const parameters = filled('aurora/canvas-1', { prompt: 'a' });
	const { items, error } = await gateway.media('createAndWait', parameters, options);
	expect(error).toBeUndefined();
	expect(items.map(({ binary }) => Object.keys(binary ?? {}))).toStrictEqual(ACCOUNTS.map(() => ['data']));
	expect(chargedAccounts()).toStrictEqual(['alice', 'alice', 'bob', 'bob']);
});

it('two accounts may use the same key of their own for different inputs', async () => {
	const { options } = twoAccounts();
	const input = filled('aurora/canvas-1', { prompt: '={{ $json.account }}' });
	const { error } = await gateway.media(
		'create',
		{ ...input, options: { idempotencyKey: 'order-1' } },
		options,
	);
	expect(error).toBeUndefined();
	// The second item of each account is the same task.
	expect(chargedAccounts()).toStrictEqual(['alice', 'bob']);
});

it('prices are those of the account of the item, read once for each', async () => {
	const { options } = twoAccounts();
	const { error } = await gateway.generate({ options: { maxCostRub: 50, maxTokens: 20 } }, options);
	expect(error).toBeUndefined();
	expect(gateway.control.requests({ path: '/models' })).toHaveLength(2);
});

it('an item with a wrong key fails alone, and no key is shown', async () => {
	const { keys, items, options } = twoAccounts();
	const wrong = 'sk-00000000-0000-4000-8000-000000000000';
	const [first = { json: { account: '', key: '' } }, ...others] = items;
	const mixed = [{ json: { ...first.json, key: wrong } }, ...others];
	const { items: outputs } = await gateway.generate(
		{},
		{ ...options, items: mixed, settings: { onError: 'continueRegularOutput' } },
	);
	expect(
		outputs.map(({ json }) => (json.error as { httpCode?: string } | undefined)?.httpCode),
	).toStrictEqual(['401', undefined, undefined, undefined]);
	const shown = JSON.stringify(outputs);
	for (const key of [wrong, ...keys.values()]) expect(shown).not.toContain(key);
});
