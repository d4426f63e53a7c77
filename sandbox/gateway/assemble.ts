/** Puts the parts together and lets both servers listen. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Accounts } from './accounts';
import { createFileServer, createServer, registerApi } from './app';
import type { GatewayContext } from './context';
import { createControl } from './control/control';
import { FaultBook } from './control/faults';
import { RequestLog, apiPrefix } from './control/requestLog';
import { controlRoutes } from './control/routes';
import { SettingsStore } from './control/settings';
import type { Gateway, GatewayOptions } from './gateway';
import { Ledger } from './ledger';
import { CallbackSender } from './media/callbacks';
import { TaskRunner } from './media/runner';
import { SessionStore } from './media/sessions';
import { TaskStore } from './media/tasks';
import { FileStore } from './storage/store';
import { PromptCache } from './text/promptCache';
import { ResponseStore } from './text/responses/store';

const host = '127.0.0.1';

export async function assemble(options: GatewayOptions): Promise<Gateway> {
	const context = createContext(options);
	const api = createServer(context, options.logger ?? false);
	const files = createFileServer(context, options.logger ?? false);
	const close = async (): Promise<void> => {
		context.callbacks.stop();
		await context.tasks.runner.stop();
		await Promise.all([api.close(), files.close()]);
		context.files.close();
	};
	try {
		const control = createControl(context);
		await registerApi(api, context);
		await api.register(controlRoutes(control), { prefix: '/control' });
		const filesUrl = await listen(files, options.filesPort ?? 0);
		context.files.origin = filesUrl;
		const origin = await listen(api, options.port ?? 0);
		return {
			baseUrl: `${origin}${apiPrefix}`,
			filesUrl,
			controlUrl: `${origin}/control`,
			apiKey: context.accounts.firstKey,
			control,
			close,
		};
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
		accounts: new Accounts(options.apiKey, options.balance ?? '1000.00'),
		ledger: new Ledger(),
		settings,
		faults: new FaultBook(),
		log: new RequestLog(),
		files,
		tasks: new TaskStore(files, runner),
		sessions: new SessionStore(),
		callbacks,
		responses: new ResponseStore(),
		promptCache: new PromptCache(),
	};
}

/** The origin that the server listens at. */
async function listen(server: FastifyInstance, port: number): Promise<string> {
	await server.listen({ host, port });
	const address: AddressInfo | string | null = server.server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	return `http://${host}:${address.port}`;
}
