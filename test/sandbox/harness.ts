import { startGateway, type Gateway } from '../../sandbox/gateway/gateway';

/** A gateway for the tests of one file, as new before each of them. */
export function useGateway(): () => Gateway {
	let gateway: Gateway | undefined;
	const current = (): Gateway => {
		if (!gateway) throw new Error('The gateway has not started');
		return gateway;
	};
	beforeAll(async () => {
		gateway = await startGateway();
	});
	beforeEach(async () => await current().control.reset());
	afterAll(async () => await gateway?.close());
	return current;
}
