import { sleep, type IPollFunctions, type IWebhookFunctions } from 'n8n-workflow';

import { GatewayClient } from '../gateway/request';
import { credentialReader, gatewayAddress, n8nTransport } from './transport';

/** How a client behaves where no user waits for it. */
export interface BackgroundSettings {
	/** Retries after a failed attempt (§7.6). */
	maxRetries: number;
	/** Replaces each request's own timeout, in milliseconds. */
	timeoutMs?: number | undefined;
}

/** §6.4 does not show whether the gateway calls again: what a call is about is asked for during minutes. */
export const CALLBACK_SETTINGS: BackgroundSettings = { maxRetries: 8 };

/** A poll comes again. */
export const POLL_SETTINGS: BackgroundSettings = { maxRetries: 3 };

const ORIGIN = 'trigger';

/**
 * The client of a node that answers a call or polls: outside an execution, without limits and cancellation.
 *
 * @throws {InvalidInput} when the credential's base URL is no web address
 */
export async function backgroundClient(
	context: IPollFunctions | IWebhookFunctions,
	settings: BackgroundSettings,
): Promise<GatewayClient> {
	const credential = credentialReader(context);
	return new GatewayClient(
		{ ...(await gatewayAddress(credential)), ...settings, origin: ORIGIN },
		{
			transport: n8nTransport(context, { credential, origin: ORIGIN }),
			withSlot: async (work) => await work(),
			pause: sleep,
			sleep,
			now: () => Date.now(),
			random: () => Math.random(),
		},
	);
}
