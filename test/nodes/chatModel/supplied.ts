import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INodeParameters } from 'n8n-workflow';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { parseJson, type JsonObject } from '../../../nodes/shared/gateway/util/json';
import { supplyContext } from '../../helpers/contexts';
import type { LangChainModel } from './support';

// The model as n8n supplies it to an agent.

interface SuppliedOptions {
	parameters?: INodeParameters;
	/** The options of the panel. */
	options?: INodeParameters;
	baseUrl?: string;
	apiKey?: string;
	/** Cancels the execution. */
	cancelSignal?: AbortSignal;
}

/** The supplied model, the function that closes it, and its runs in n8n's log. */
export async function supplied(given: SuppliedOptions = {}) {
	const { parameters, options = {}, baseUrl = 'https://gateway.test/api/v1', apiKey = 'sk-test' } = given;
	const { context, execution } = supplyContext({
		node: 'chatModel',
		parameters: { model: { __rl: true, mode: 'id', value: 'acme/writer' }, options, ...parameters },
		credential: { baseUrl, apiKey },
	});
	const { cancelSignal } = given;
	if (cancelSignal) context.getExecutionCancelSignal = () => cancelSignal;
	const { response, closeFunction } = await new ChatModel().supplyData.call(context, 0);
	return {
		lc: response as LangChainModel,
		close: async () => await closeFunction?.(),
		logged: () => execution.resultData.runData.Gateway ?? [],
	};
}

/** A request to a local gateway. */
export interface Received {
	path: string;
	headers: IncomingMessage['headers'];
	body: JsonObject;
	response: ServerResponse;
	/** Whether the client has closed the connection before the response was complete. */
	isGivenUp: boolean;
}

/** A gateway on a real socket. */
export interface LocalGateway {
	baseUrl: string;
	received: Received[];
	close(): Promise<void>;
}

/**
 * Starts a gateway.
 *
 * @param respond gets each complete request, and the number of earlier ones
 */
export async function localGateway(
	respond: (request: Received, earlier: number) => void,
): Promise<LocalGateway> {
	const received: Received[] = [];
	const server = createServer((request, response) => {
		const parts: Buffer[] = [];
		request.on('data', (part: Buffer) => parts.push(part));
		request.on('end', () => {
			const body = parseJson(Buffer.concat(parts).toString()) as JsonObject;
			const { url: path = '', headers } = request;
			const seen: Received = { path, headers, body, response, isGivenUp: false };
			response.on('close', () => (seen.isGivenUp = !response.writableFinished));
			received.push(seen);
			respond(seen, received.length - 1);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}/api/v1`,
		received,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Sends a JSON response; a retry need not wait. */
export function sendJson({ response }: Received, status: number, body: string): void {
	response.writeHead(status, { 'Content-Type': 'application/json', 'Retry-After': '0' }).end(body);
}

/** Begins a streamed response. */
export function sendEvents({ response }: Received, events: string): void {
	if (!response.headersSent) response.writeHead(200, { 'Content-Type': 'text/event-stream' });
	response.write(events);
}

/** Breaks the connection after the written data has been sent. */
export function breakOff({ response }: Received): void {
	// Buffered headers and events would be lost with the socket.
	response.socket?.destroySoon();
}

/** Waits until a condition holds. */
export async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
