import type { Stored, StoredWorkflow } from '../../../sandbox/n8n/types';
import { credentialType } from '../../../sandbox/n8n/workflows';
import type { Environment } from './environment';
import { eventually } from './eventually';
import { catcher, clusterOf, everySecond, gatewayNode } from './workflows';

/** A published trigger that watches a wallet of its own. */
export class Wallet {
	private static count = 0;

	private constructor(
		private readonly environment: Environment,
		readonly account: string,
		/** The end of its key, which is all that the gateway's log shows of it. */
		private readonly keyEnd: string,
		readonly workflow: StoredWorkflow,
	) {}

	/** Publishes a trigger; its first poll finds `amount`. */
	static async watched(
		environment: Environment,
		parameters: Record<string, unknown>,
		amount: string,
	): Promise<Wallet> {
		const { gateway, client } = environment;
		const account = `wallet-${(Wallet.count += 1)}`;
		const { key } = gateway.control.createKey({ account });
		gateway.control.setBalance(amount, account);
		const data = { baseUrl: gateway.baseUrl, apiKey: key };
		const credential: Stored = await client.saveCredential(account, credentialType, data);
		const trigger = gatewayNode('Low', 'balanceTrigger', { ...parameters, pollTimes: { item: everySecond } });
		const workflow = clusterOf(account, [trigger], [], [catcher('After')]);
		const stored = await environment.store(workflow, credential);
		await client.activate(stored);
		const wallet = new Wallet(environment, account, key.slice(-4), stored);
		// Publishing answers before the trigger is there.
		await wallet.polled(1);
		return wallet;
	}

	/** How often it was asked for its balance. */
	get polls(): number {
		return this.environment.gateway.control
			.requests({ path: '/balance' })
			.filter(({ key, status }) => key?.endsWith(this.keyEnd) && status !== null).length;
	}

	/** Waits until it has been polled so often. */
	async polled(count: number): Promise<void> {
		await eventually(() => expect(this.polls).toBeGreaterThanOrEqual(count), 30_000);
	}

	/** Waits until a poll that began after this moment has ended. */
	async poll(): Promise<void> {
		await this.polled(this.polls + 2);
	}

	/** Moves the balance and waits for a poll. */
	async set(...amounts: string[]): Promise<void> {
		for (const amount of amounts) {
			this.environment.gateway.control.setBalance(amount, this.account);
			await this.poll();
		}
	}

	/** The balances that the node behind the trigger got, in order. */
	async amounts(): Promise<unknown[]> {
		return (await this.told()).map(({ amount }) => amount);
	}

	/** What the node behind the trigger got, in order. */
	async told(): Promise<Array<Record<string, unknown>>> {
		const results = await this.environment.executionsOf(this.workflow, 0);
		// n8n lists those that still run before all others.
		results.sort((one, other) => Number(one.executionId) - Number(other.executionId));
		return results.flatMap(({ nodes }) => nodes['After']?.items.map(({ json }) => json) ?? []);
	}
}
