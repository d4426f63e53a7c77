import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { createGunzip } from 'node:zlib';

const CLIENT = 'net.client.socket';
const SERVER = 'net.server.socket';

/** A connection of this process with itself. */
interface Connection {
	client?: Socket;
	server?: Socket;
}

/** Knows what is on its way between the sockets of this process: on a busy machine that takes a while. */
export class Traffic {
	/** By the port of the client. */
	private readonly connections = new Map<number, Connection>();
	private stopWatchingClosing: () => void = () => undefined;

	async start(): Promise<void> {
		this.stopWatchingClosing = await watchClosing();
		watchCompression();
		subscribe(CLIENT, this.addClient);
		subscribe(SERVER, this.addServer);
		subscribe(CONNECTS, connects);
		for (const channel of HAS_CONNECTED) subscribe(channel, hasConnected);
	}

	/** What a test has left behind does not count for the next one. */
	forgetUnlisted(): void {
		unlisted.clear();
	}

	stop(): void {
		this.stopWatchingClosing();
		Object.assign(zlibBase, { _transform: transform });
		unsubscribe(CLIENT, this.addClient);
		unsubscribe(SERVER, this.addServer);
		unsubscribe(CONNECTS, connects);
		for (const channel of HAS_CONNECTED) unsubscribe(channel, hasConnected);
		this.connections.clear();
	}

	/** Whether something is compressed or closed, or `fetch` connects: that ends by itself. */
	get hasUnlistedWork(): boolean {
		return unlisted.size > 0;
	}

	/** Whether a connection, bytes or the end of a connection have been sent and have not yet arrived. */
	get isOnItsWay(): boolean {
		for (const [port, { client, server }] of this.connections) {
			if (client?.destroyed !== false && server?.destroyed !== false) this.connections.delete(port);
			// A client of TLS, or of another process.
			else if (!client) continue;
			else if (!server || isBetween(client, server) || isBetween(server, client)) return true;
		}
		return false;
	}

	private readonly addClient = (message: unknown): void => {
		const { socket } = message as { socket: Socket };
		socket.once('connect', () => this.add(socket.localPort, { client: socket }));
	};

	private readonly addServer = (message: unknown): void => {
		const { socket } = message as { socket: Socket };
		this.add(socket.remotePort, { server: socket });
	};

	private add(port: number | undefined, side: Connection): void {
		if (port !== undefined) this.connections.set(port, { ...this.connections.get(port), ...side });
	}
}

function isBetween(from: Socket, to: Socket): boolean {
	const handle: unknown = Reflect.get(to, '_handle');
	const isRead = typeof handle === 'object' && handle !== null && Reflect.get(handle, 'reading') === true;
	if (!isRead || to.destroyed || to.readableEnded) return false;
	return to.bytesRead < from.bytesWritten || from.destroyed || from.writableFinished;
}

/** What is done elsewhere, ends by itself, and is not among what Node.js lists as active. */
const unlisted = new Set<unknown>();

/** A client of `fetch` connects; the first one of a process also waits for a parser, which another thread compiles. */
const CONNECTS = 'undici:client:beforeConnect';
const HAS_CONNECTED = ['undici:client:connected', 'undici:client:connectError'];

const clientOf = (message: unknown): unknown => (message as { connector: unknown }).connector;
const connects = (message: unknown): void => void unlisted.add(clientOf(message));
const hasConnected = (message: unknown): void => void unlisted.delete(clientOf(message));

type Transform = (chunk: unknown, encoding: string, done: (...values: unknown[]) => void) => void;

/** The prototype of all streams of `node:zlib`. */
const zlibBase = prototypeOf(prototypeOf(createGunzip()));
const transform = Reflect.get(zlibBase, '_transform') as Transform;

function watchCompression(): void {
	Object.assign(zlibBase, {
		_transform(this: unknown, ...[chunk, encoding, done]: Parameters<Transform>) {
			const work = Symbol('compression');
			unlisted.add(work);
			transform.call(this, chunk, encoding, (...values) => {
				unlisted.delete(work);
				done(...values);
			});
		},
	});
}

type Close = () => Promise<void>;

/**
 * Watches how files are closed that `node:fs/promises` has opened, also for `writeFile`.
 *
 * @returns ends that
 */
async function watchClosing(): Promise<() => void> {
	const file = await open(__filename);
	const handle = Object.getOwnPropertySymbols(file).find(({ description }) => description === 'kHandle');
	if (!handle) throw new Error('Node.js keeps the handle of a file elsewhere');
	const base = prototypeOf(Reflect.get(file, handle));
	const close = Reflect.get(base, 'close') as Close;
	await file.close();
	Object.assign(base, {
		async close(this: unknown) {
			const work = Symbol('closing');
			unlisted.add(work);
			await close.call(this).finally(() => unlisted.delete(work));
		},
	});
	return () => Object.assign(base, { close });
}

function prototypeOf(value: unknown): object {
	return Object.getPrototypeOf(value) as object;
}
