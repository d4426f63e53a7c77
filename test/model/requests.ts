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

type Patched = Pick<ClientRequest, 'onSocket' | 'setTimeout'>;

/**
 * Records the requests that the process begins with `node:http`, and puts their timeouts, which Node.js counts with timers
 * of its own, on those of `globalThis`.
 */
export class SentRequests {
	readonly all: SentRequest[] = [];
	/** The IDs of the requests whose responses have arrived whole, before any cancellation. */
	readonly answered = new Set<string>();
	isCancelled = false;
	/** Is called after each request with the number of those so far. */
	onRequest: (count: number) => void = () => undefined;
	private readonly open = new Set<ClientRequest>();
	private readonly originals: Patched;

	constructor(private readonly key: string) {
		const { prototype } = ClientRequest;
		const onSocket = Reflect.get(prototype, 'onSocket');
		const setTimeout = Reflect.get(prototype, 'setTimeout');
		this.originals = { onSocket, setTimeout };
		const note = (request: ClientRequest): void => this.note(request);
		Object.assign(prototype, {
			onSocket(this: ClientRequest, socket: Socket) {
				note(this);
				onSocket.call(this, socket);
			},
			setTimeout(this: ClientRequest, ms: number, callback?: () => void) {
				if (callback) this.once('timeout', callback);
				if (ms > 0) watchIdle(this, ms);
				return this;
			},
		});
	}

	restore(): void {
		Object.assign(ClientRequest.prototype, this.originals);
	}

	/** Forgets what has been recorded. */
	clear(): void {
		this.all.splice(0);
		this.answered.clear();
		this.isCancelled = false;
		this.onRequest = () => undefined;
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
				if (!this.isCancelled) this.answered.add(String(response.headers['x-request-id']));
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

/** Emits `timeout` when no byte has moved for a time. */
function watchIdle(request: ClientRequest, ms: number): void {
	let moved = -1;
	let timer: NodeJS.Timeout | undefined;
	const check = (): void => {
		const { bytesRead = 0, bytesWritten = 0 } = request.socket ?? {};
		if (moved === bytesRead + bytesWritten) request.emit('timeout');
		moved = bytesRead + bytesWritten;
		timer = setTimeout(check, ms);
	};
	const start = (): void => {
		const { bytesRead = 0, bytesWritten = 0 } = request.socket ?? {};
		moved = bytesRead + bytesWritten;
		timer = setTimeout(check, ms);
	};
	start();
	request.once('close', () => clearTimeout(timer));
}
