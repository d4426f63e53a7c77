import type { ISupplyDataFunctions } from 'n8n-workflow';

import { GatewayClient, type RequestSettings } from '../gateway/client/client';
import { clock } from './clock';
import { RunSignal } from '../run/runSignal';
import { credentialReader, gatewayAddress, n8nTransport } from './transport';

const ORIGIN = 'chatModel';

/**
 * The client of a node that serves another one within an execution: cancelling the execution ends its pauses, and n8n
 * its requests. How much is asked at a time is up to the other node.
 *
 * @returns the client, and what ends it: nothing is sent any more, and it lets go of the execution
 * @throws {InvalidInputError} when the credential's base URL is no web address
 */
export async function subNodeClient(
	context: ISupplyDataFunctions,
	settings: RequestSettings,
): Promise<{ client: GatewayClient; dispose: () => void }> {
	const credential = credentialReader(context);
	const address = await gatewayAddress(credential);
	const cancelSignal = context.getExecutionCancelSignal();
	const interruption = new RunSignal(cancelSignal);
	const client = new GatewayClient(
		{ ...address, ...settings, origin: ORIGIN },
		{
			...clock,
			transport: n8nTransport(context, { credential, cancelSignal, origin: ORIGIN }),
			withSlot: async (work) => {
				interruption.check();
				return await work();
			},
			pause: async (milliseconds) => await interruption.pause(milliseconds),
		},
	);
	const dispose = () => {
		interruption.interrupt('not waited for');
		interruption.dispose();
	};
	return { client, dispose };
}
