import { sleep } from 'n8n-workflow';

import {
	accountOf,
	GatewayClient,
	type ClientDependencies,
	type RequestSettings,
} from '../gateway/client/client';
import { RateGate, type GateClock } from '../gateway/client/rateGate';
import { credentialReader, readAddress, type N8nContext } from './credential';
import type { RunSignal } from './runSignal';
import { n8nTransport } from './transport';

/** The rate limits of this process by account, which all nodes and executions share. */
export const rateGates = new Map<string, RateGate>();

/** Is never set back. */
const GATE_CLOCK: GateClock = { now: () => performance.now(), random: () => Math.random() };

interface ConnectionOptions extends Partial<Pick<ClientDependencies, 'withSlot' | 'waitMeter'>> {
	/** The item whose credential is read: its fields may be expressions. Default: 0. */
	itemIndex?: number;
	/** Ends pauses, and requests where n8n can, with the run. None outside an execution. */
	signal?: RunSignal;
}

export async function connect(
	context: N8nContext,
	settings: RequestSettings,
	{ itemIndex, signal, withSlot = async (work) => await work(), waitMeter }: ConnectionOptions = {},
): Promise<GatewayClient> {
	const credential = credentialReader(context, itemIndex);
	const address = readAddress(await credential());
	const account = accountOf(address);
	const gate = rateGates.get(account) ?? new RateGate(GATE_CLOCK);
	rateGates.set(account, gate);
	return new GatewayClient(
		{ ...address, ...settings },
		{
			transport: n8nTransport(context, credential, signal?.cancelSignal),
			gate,
			waitMeter,
			withSlot,
			// The prices of calls that are paid for are also read when another item has failed.
			throwIfEnded: (kind) => signal?.throwIfAborted(kind === 'catalogue' ? 'other item failed' : undefined),
			pause: async (milliseconds) => await (signal ? signal.pause(milliseconds) : sleep(milliseconds)),
			until: async (wait) => await (signal ? signal.until(async () => await wait) : wait),
			sleep,
			now: () => Date.now(),
			random: () => Math.random(),
		},
	);
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
