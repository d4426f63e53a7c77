/** Starts the whole sandbox inside the calling process: API and file host. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Accounts } from './accounts';
import { createFileServer, createServer, registerApi } from './app';
import type { GatewayContext } from './context';
import { createControl, type GatewayControl } from './control/control';
import { FaultBook } from './control/faults';
import { Holds } from './control/holds';
import { RequestLog, apiPrefix } from './control/requestLog';
import { SettingsStore } from './control/settings';
import type { SettingsPatch } from './control/types';
import { Ledger } from './ledger';
import { CallbackSender } from './media/callbacks';
import { TaskRunner } from './media/runner';
import { TaskStore } from './media/tasks';
import { FileStore } from './storage/store';
import { PromptCache } from './text/promptCache';

export type { GatewayControl } from './control/control';
export type * from './control/types';

export interface GatewayOptions {
	/** Port of the API; 0 (default) takes a free one. */
	port?: number;
	/** Port of the file host; 0 (default) takes a free one. */
	filesPort?: number;
	/** Rubles in a new account's wallet, decimal string; default `1000.00`. */
	balance?: string;
	settings?: SettingsPatch;
}

export interface Gateway {
	/** Ends in `/api/v1`. */
	baseUrl: string;
	/** Origin of the file host. */
	filesUrl: string;
	/** The first key, of account `main`. */
	apiKey: string;
	control: GatewayControl;
	/** Stops both servers, ends running requests and removes the stored files. */
	close(): Promise<void>;
}

const host = '127.0.0.1';

/** Starts the gateway on 127.0.0.1; throws when a port is taken. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
	const context = createContext(options);
	const api = createServer();
	const files = createFileServer(context);
	const close = async (): Promise<void> => {
		context.holds.clear();
		context.callbacks.stop();
		await context.tasks.runner.stop();
		await Promise.all([api.close(), files.close()]);
		context.files.close();
	};
	try {
		await registerApi(api, context);
		const filesUrl = await listen(files, options.filesPort ?? 0);
		context.files.origin = filesUrl;
		const baseUrl = `${await listen(api, options.port ?? 0)}${apiPrefix}`;
		return { baseUrl, filesUrl, apiKey: context.accounts.firstKey, control: createControl(context), close };
	} catch (error) {
		await close();
		throw error;
	}
}

function createContext(options: GatewayOptions): GatewayContext {
	const settings = new SettingsStore(options.settings);
	const files = new FileStore();
	const callbacks = new CallbackSender(settings);
	const runner = new TaskRunner(settings, files, callbacks);
	return {
		accounts: new Accounts(options.balance ?? '1000.00'),
		ledger: new Ledger(),
		settings,
		faults: new FaultBook(),
		holds: new Holds(),
		log: new RequestLog(),
		files,
		tasks: new TaskStore(files, runner),
		sessions: new Map(),
		callbacks,
		responses: new Map(),
		promptCache: new PromptCache(),
	};
}

async function listen(server: FastifyInstance, port: number): Promise<string> {
	await server.listen({ host, port });
	const address: AddressInfo | string | null = server.server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	return `http://${host}:${address.port}`;
}
