import { ClientRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A request that this process has begun. */
export interface SentRequest {
	origin: string;
	method: string;
	path: string;
	/** Whether it carries this text in a header. */
	hasKey: boolean;
	/** Whether it began after the execution was cancelled. */
	afterCancel: boolean;
}

/** Records the requests that the process begins with `node:http`. */
export class SentRequests {
	readonly all: SentRequest[] = [];
	/** The IDs of the requests whose responses have arrived whole, before any cancellation. */
	readonly answered = new Set<string>();
	isCancelled = false;
	/** Is called after each request with the number of those so far. */
	onRequest: (count: number) => void = () => undefined;
	/** Is called when a response has arrived whole, with the number of those so far. */
	onAnswer: (count: number) => void = () => undefined;
	private readonly open = new Set<ClientRequest>();
	private readonly original = Reflect.get(ClientRequest.prototype, 'onSocket');

	constructor(private readonly key: string) {
		const { original } = this;
		const note = (request: ClientRequest): void => this.note(request);
		Object.assign(ClientRequest.prototype, {
			onSocket(this: ClientRequest, socket: Socket) {
				note(this);
				original.call(this, socket);
			},
		});
	}

	restore(): void {
		Object.assign(ClientRequest.prototype, { onSocket: this.original });
	}

	/** Forgets what has been recorded. */
	clear(): void {
		this.all.splice(0);
		this.answered.clear();
		this.isCancelled = false;
		this.onRequest = () => undefined;
		this.onAnswer = () => undefined;
	}

	/** Ends the requests that are still open. */
	destroyOpen(): void {
		for (const request of this.open) request.destroy();
	}

	private note(request: ClientRequest): void {
		this.open.add(request);
		request.once('close', () => this.open.delete(request));
		request.prependOnceListener('response', (response: IncomingMessage) => {
			response.once('end', () => {
				if (this.isCancelled) return;
				this.answered.add(String(response.headers['x-request-id']));
				this.onAnswer(this.answered.size);
			});
		});
		this.all.push({
			origin: `${request.protocol}//${String(request.getHeader('host'))}`,
			method: request.method,
			path: request.path,
			hasKey: JSON.stringify(request.getHeaders()).includes(this.key),
			afterCancel: this.isCancelled,
		});
		this.onRequest(this.all.length);
	}
}
