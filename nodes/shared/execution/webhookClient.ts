import { sleep, type IWebhookFunctions } from 'n8n-workflow';

import { GatewayClient } from '../gateway/request';
import { gatewayAddress, n8nTransport } from './transport';

/** Nobody waits for the check of a call, and whether the gateway calls again is not shown: it is tried for minutes. */
const MAX_RETRIES = 8;

/**
 * The client of a node that answers a call (§6.4).
 *
 * @param timeoutMs replaces each request's own timeout, in milliseconds
 * @throws {InvalidInput} when the credential's base URL is no web address
 */
export async function webhookClient(context: IWebhookFunctions, timeoutMs?: number): Promise<GatewayClient> {
	return new GatewayClient(
		{ ...(await gatewayAddress(context)), maxRetries: MAX_RETRIES, timeoutMs },
		{
			transport: n8nTransport(context),
			withSlot: async (work) => await work(),
			pause: sleep,
			sleep,
			now: () => Date.now(),
			random: () => Math.random(),
		},
	);
}
