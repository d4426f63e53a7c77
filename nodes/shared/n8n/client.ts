import { sleep } from 'n8n-workflow';

import {
	accountOf,
	GatewayClient,
	type ClientDependencies,
	type RequestSettings,
} from '../gateway/client/client';
import { Limiter, RunSignal } from '../gateway/client/limits';
import { RateGate } from '../gateway/client/rateGate';
import { credentialReader, readAddress, type N8nContext } from './credential';
import { n8nTransport } from './transport';

/** The rate limits of this process by account, which all nodes and executions share. */
export const rateGates = new Map<string, RateGate>();

const unlimited = new Limiter(Infinity);

interface ConnectionOptions extends Partial<Pick<ClientDependencies, 'run' | 'slots' | 'waitMeter'>> {
	/** The item whose credential is read: its fields may be expressions. Default: 0. */
	itemIndex?: number;
}

export async function connect(
	context: N8nContext,
	settings: RequestSettings,
	{
		itemIndex,
		run = new RunSignal(),
		slots = { reads: unlimited, files: unlimited, requests: unlimited },
		waitMeter,
	}: ConnectionOptions = {},
): Promise<GatewayClient> {
	const credential = credentialReader(context, itemIndex);
	const address = readAddress(await credential());
	const account = accountOf(address);
	const gate = rateGates.get(account) ?? new RateGate();
	rateGates.set(account, gate);
	return new GatewayClient(
		{ ...address, ...settings },
		{
			transport: n8nTransport(context, credential, run.cancelSignal),
			gate,
			waitMeter,
			slots,
			run,
			// Before n8n-workflow 2.34, it ignores the signal, and its timer runs on.
			sleep,
			now: Date.now,
			random: Math.random,
		},
	);
}

/** Identifies the account of an item; empty if its credential cannot be used, which the first request reports. */
export async function currentAccount(context: N8nContext, itemIndex = 0): Promise<string> {
	try {
		return accountOf(readAddress(await credentialReader(context, itemIndex)()));
	} catch {
		return '';
	}
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
