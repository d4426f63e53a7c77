import { sleep, type ISupplyDataFunctions } from 'n8n-workflow';

import type { RequestSettings } from '../gateway/client/attempts';
import { accountOf, GatewayClient, type ClientDependencies } from '../gateway/client/client';
import { asError } from '../gateway/errors/errors';
import { RateGate, type GateClock } from '../gateway/client/rate/rateGate';
import { RunSignal } from './runSignal';
import { credentialReader, gatewayAddress, n8nTransport, type N8nContext } from './transport';

/** The gateway of a node's credential. */
export interface Connection {
	/** Texts to remove from errors, such as the API key. */
	secrets: readonly string[];
	client(settings: RequestSettings): GatewayClient;
}

/** The rate limits of this process by account, which all nodes and executions share. */
export const rateGates = new Map<string, RateGate>();

/** Is never set back. */
const GATE_CLOCK: GateClock = { now: () => performance.now(), random: () => Math.random() };

interface ConnectionOptions {
	/** The item whose credential is read: its fields may be expressions. Default: 0. */
	itemIndex?: number;
	/** Ends pauses, and requests where n8n can, with the run. None outside an execution. */
	signal?: RunSignal;
	/** Runs `work` when a slot for a request is free. */
	withSlot?: ClientDependencies['withSlot'];
	/** Measures the waits for the rate limit. */
	waitMeter?: ClientDependencies['waitMeter'];
}

/**
 * Reads the credential of an item.
 *
 * @throws {InvalidInputError} when its base URL is not a web address
 */
export async function connect(
	context: N8nContext,
	{ itemIndex, signal, withSlot = async (work) => await work(), waitMeter }: ConnectionOptions,
): Promise<Connection> {
	const credential = credentialReader(context, itemIndex);
	const address = await gatewayAddress(credential);
	const account = accountOf(address);
	const gate = rateGates.get(account) ?? new RateGate(GATE_CLOCK);
	rateGates.set(account, gate);
	const dependencies: ClientDependencies = {
		transport: n8nTransport(context, { credential, cancelSignal: signal?.cancelSignal }),
		gate,
		waitMeter,
		withSlot: async (work, kind) =>
			await withSlot(async () => {
				// The prices of calls that are paid for are also read when another item has failed.
				signal?.throwIfAborted(kind === 'catalogue' ? 'other item failed' : undefined);
				return await work();
			}, kind),
		pause: async (milliseconds) => await (signal ? signal.pause(milliseconds) : sleep(milliseconds)),
		sleep,
		now: () => Date.now(),
		random: () => Math.random(),
	};
	return {
		secrets: address.secrets,
		client: (settings) => new GatewayClient({ ...address, ...settings }, dependencies),
	};
}

/** §6.4 does not say whether the gateway repeats a callback, so its task is polled for minutes. */
export const CALLBACK_SETTINGS: RequestSettings = {
	maxRetries: 8,
	rateLimitWaitMs: 15 * 60_000,
};

/** n8n polls again, so it waits only until a minute's limit is free again. */
export const POLL_SETTINGS: RequestSettings = {
	maxRetries: 3,
	rateLimitWaitMs: 60_000,
};

/** The user waits for a list or a form. */
export const EDITOR_SETTINGS: RequestSettings = {
	maxRetries: 1,
	rateLimitWaitMs: 5_000,
	timeoutMs: 30_000,
};

/**
 * The client of a node outside an execution: for callbacks, polls, and lists of the editor.
 *
 * @throws {InvalidInputError} as {@link connect}
 */
export async function backgroundClient(
	context: N8nContext,
	settings: RequestSettings,
): Promise<GatewayClient> {
	return (await connect(context, {})).client(settings);
}

/**
 * The client of a sub-node. The node that uses it limits the concurrency.
 *
 * @returns the client, and `dispose`, which prevents further requests and removes the listener from the execution
 * @throws {InvalidInputError} as {@link connect}
 */
export async function subNodeClient(
	context: ISupplyDataFunctions,
	itemIndex: number,
	settings: RequestSettings,
): Promise<{ client: GatewayClient; dispose: () => void }> {
	const signal = new RunSignal(context.getExecutionCancelSignal());
	const dispose = () => {
		signal.abort('not waited for');
		signal.dispose();
	};
	try {
		const { client } = await connect(context, { itemIndex, signal });
		return { client: client(settings), dispose };
	} catch (error) {
		dispose();
		throw asError(error);
	}
}
