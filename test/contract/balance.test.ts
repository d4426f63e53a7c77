import { useGateway } from './support';

const gateway = useGateway();

describe('balance', () => {
	test.each(['html', 'empty', 'cutJson', 'wrongType'] as const)(
		'rejects %s in place of a balance',
		async (body) => {
			gateway.control.addFault({
				match: { path: '/balance' },
				action: { kind: 'raw', status: 200, body },
				times: 0,
			});
			const { error } = await gateway.run({
				node: 'balance',
				parameters: { resource: 'balance', operation: 'get', options: { maxRetries: 1 } },
			});
			expect(error?.message).toMatch(/web page|could not be read|has no balance/);
		},
	);

	it('reads both shapes', async () => {
		const read = async () =>
			(await gateway.run({ node: 'balance', parameters: { resource: 'balance', operation: 'get' } })).items[0]
				?.json;
		gateway.control.setBalance('12.30');
		expect(await read()).toMatchObject({ amountRub: 12.3, currency: 'RUB' });
		gateway.control.configure({ balanceShape: 'currencies' });
		expect(await read()).toMatchObject({ amountRub: 12.3, amountUsd: expect.any(Number) as number });
	});
});
