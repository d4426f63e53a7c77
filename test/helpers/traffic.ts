import { subscribe, unsubscribe } from 'node:diagnostics_channel';
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

	start(): void {
		watchDecompression();
		subscribe(CLIENT, this.addClient);
		subscribe(SERVER, this.addServer);
	}

	/** What a test has left behind does not count for the next one. */
	forgetDecompression(): void {
		decompressing = 0;
	}

	stop(): void {
		Object.assign(zlibBase, { _transform: transform });
		unsubscribe(CLIENT, this.addClient);
		unsubscribe(SERVER, this.addServer);
		this.connections.clear();
	}

	/** Whether a connection, bytes or the end of a connection have been sent and have not yet arrived, or are decompressed. */
	get isOnItsWay(): boolean {
		if (decompressing > 0) return true;
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

type Transform = (chunk: unknown, encoding: string, done: (...values: unknown[]) => void) => void;

/** The prototype of all streams of `node:zlib`, whose work Node.js does not list. */
const zlibBase: object = Object.getPrototypeOf(Object.getPrototypeOf(createGunzip())) as object;
const transform = Reflect.get(zlibBase, '_transform') as Transform;
let decompressing = 0;

function watchDecompression(): void {
	Object.assign(zlibBase, {
		_transform(this: unknown, ...[chunk, encoding, done]: Parameters<Transform>) {
			decompressing += 1;
			let hasEnded = false;
			transform.call(this, chunk, encoding, (...values) => {
				if (!hasEnded) decompressing = Math.max(decompressing - 1, 0);
				hasEnded = true;
				done(...values);
			});
		},
	});
}
