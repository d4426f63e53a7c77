import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

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
		subscribe(CLIENT, this.addClient);
		subscribe(SERVER, this.addServer);
	}

	stop(): void {
		unsubscribe(CLIENT, this.addClient);
		unsubscribe(SERVER, this.addServer);
		this.connections.clear();
	}

	/** Whether a connection, bytes or the end of a connection have been sent, and not yet arrived. */
	get isOnItsWay(): boolean {
		for (const [port, { client, server }] of this.connections) {
			if (client?.destroyed !== false && server?.destroyed !== false) this.connections.delete(port);
			else if (!client || !server) return true;
			else if (isBetween(client, server) || isBetween(server, client)) return true;
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
