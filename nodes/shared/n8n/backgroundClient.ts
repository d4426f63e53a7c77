import type { ILoadOptionsFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Origin } from '../gateway/errors/texts/origin';
import { GatewayClient, type RequestSettings } from '../gateway/client/client';
import { clock } from './clock';
import { credentialReader, gatewayAddress, n8nTransport } from './transport';

/** How a client behaves outside an execution. */
type BackgroundSettings = RequestSettings & { origin: Origin };

/** §6.4 does not show whether the gateway calls again: what a call is about is asked for during minutes. */
export const CALLBACK_SETTINGS: BackgroundSettings = { maxRetries: 8, origin: 'trigger' };

/** A poll comes again. */
export const POLL_SETTINGS: BackgroundSettings = { maxRetries: 3, origin: 'trigger' };

/** Somebody waits in front of a dropdown or a form. */
export const EDITOR_SETTINGS: BackgroundSettings = { maxRetries: 1, timeoutMs: 30_000, origin: 'editor' };

/**
 * The client of a node that answers a call, polls, or fills a list of the editor: outside an execution, without limits
 * and cancellation.
 *
 * @throws {InvalidInputError} when the credential's base URL is no web address
 */
export async function backgroundClient(
	context: ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions,
	settings: BackgroundSettings,
): Promise<GatewayClient> {
	const credential = credentialReader(context);
	return new GatewayClient(
		{ ...(await gatewayAddress(credential)), ...settings },
		{
			...clock,
			transport: n8nTransport(context, { credential, origin: settings.origin }),
			withSlot: async (work) => await work(),
			pause: clock.sleep,
		},
	);
}
