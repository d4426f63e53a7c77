import { setTimeout as sleep } from 'node:timers/promises';
import type { INodeExecutionData } from 'n8n-workflow';
import { isN8nAtLeast, isNotStoredYet, olderDefaults, PUBLISHING, RUN_BY_ID } from './olderVersions';
import { parseExecution, type Execution, type StoredExecution } from './executions';
import type {
	CredentialTest,
	MapperQuery,
	NodeTypeEntry,
	Owner,
	Stored,
	StoredWorkflow,
	WorkflowJson,
} from './types';

/** On a busy machine, n8n may refuse everything for some seconds. */
const BUSY_MS = 60_000;

/** An answer of n8n's internal API that is no success. */
export class N8nApiError extends Error {
	override readonly name = 'N8nApiError';

	constructor(
		readonly status: number,
		readonly method: string,
		readonly path: string,
		readonly body: string,
	) {
		super(`n8n answered ${status} to ${method} ${path}: ${body.slice(0, 500)}`);
	}
}

/** n8n's internal API, as its editor uses it: one signed-in user. */
export class N8nClient {
	/** @param cookie of a session that there is already */
	constructor(
		readonly url: string,
		private cookie = '',
	) {}

	/** The cookie of the session, as `name=value`; empty before {@link signIn}. */
	get session(): string {
		return this.cookie;
	}

	/** Makes the first user of a new n8n, or signs in when there is one already. */
	async signIn(owner: Owner): Promise<void> {
		const settings = await this.get<{ userManagement: { showSetupOnFirstLoad: boolean } }>('/rest/settings');
		if (settings.userManagement.showSetupOnFirstLoad) {
			await this.send('POST', '/rest/owner/setup', { ...owner, firstName: 'Sandbox', lastName: 'Owner' });
		} else {
			await this.send('POST', '/rest/login', { emailOrLdapLoginId: owner.email, password: owner.password });
		}
	}

	/** Creates a credential, or gives the one of that name and type new data. */
	async saveCredential(name: string, type: string, data: Record<string, unknown>): Promise<Stored> {
		const all = await this.get<Array<Stored & { type: string }>>('/rest/credentials');
		const known = all.find((credential) => credential.name === name && credential.type === type);
		const body = { name, type, data };
		return known === undefined
			? await this.send<Stored>('POST', '/rest/credentials', body)
			: await this.send<Stored>('PATCH', `/rest/credentials/${known.id}`, body);
	}

	/** Runs the test of a stored credential; `data` tries other values with it. */
	async testCredential(
		credential: Stored,
		type: string,
		data: Record<string, unknown>,
	): Promise<CredentialTest> {
		const credentials = { id: credential.id, name: credential.name, type, data };
		return await this.send<CredentialTest>('POST', '/rest/credentials/test', { credentials });
	}

	async createWorkflow(workflow: WorkflowJson): Promise<StoredWorkflow> {
		return await this.send<StoredWorkflow>('POST', '/rest/workflows', { ...workflow, ...olderDefaults });
	}

	/** Changes a stored workflow, as the editor does when it saves. */
	async updateWorkflow(id: string, workflow: WorkflowJson): Promise<void> {
		await this.send('PATCH', `/rest/workflows/${id}?forceSave=true`, workflow);
	}

	/** Publishes a workflow: its triggers and webhooks go live. */
	async activate(workflow: StoredWorkflow): Promise<void> {
		if (isN8nAtLeast(PUBLISHING))
			await this.send('POST', `/rest/workflows/${workflow.id}/activate`, { versionId: workflow.versionId });
		else await this.switchOn(workflow, true);
	}

	async deactivate(workflow: Stored): Promise<void> {
		if (isN8nAtLeast(PUBLISHING)) await this.send('POST', `/rest/workflows/${workflow.id}/deactivate`, {});
		else await this.switchOn(workflow, false);
	}

	/** What an older n8n has in place of publishing. */
	private async switchOn({ id }: Stored, active: boolean): Promise<void> {
		await this.send('PATCH', `/rest/workflows/${id}?forceSave=true`, { active });
	}

	/** Starts a stored workflow from its trigger, as the editor's button does, and returns the execution's id. */
	async runManually(workflowId: string, triggerName: string): Promise<string> {
		const body = {
			triggerToStartFrom: { name: triggerName },
			...(isN8nAtLeast(RUN_BY_ID) ? {} : { workflowData: await this.get(`/rest/workflows/${workflowId}`) }),
		};
		const answer = await this.send<{ executionId?: string }>(
			'POST',
			`/rest/workflows/${workflowId}/run`,
			body,
		);
		if (answer.executionId === undefined)
			throw new Error(`n8n waits for a call before it runs "${triggerName}".`);
		return answer.executionId;
	}

	/** The raw answer about an execution, with its data still encoded. */
	async readExecutionRaw(id: string): Promise<string> {
		return await (await this.request('GET', `/rest/executions/${id}`)).text();
	}

	/** An execution with everything that its nodes gave. */
	async readExecution(id: string): Promise<Execution> {
		return parseExecution(await this.get<StoredExecution>(`/rest/executions/${id}`));
	}

	/** The same for one that may just have been started: undefined while n8n cannot show it. */
	async readStartedExecution(id: string): Promise<Execution | undefined> {
		try {
			const stored = await this.get<Partial<StoredExecution> & Omit<StoredExecution, 'data'>>(
				`/rest/executions/${id}`,
			);
			const { data } = stored;
			// A worker has not stored it yet.
			return data === undefined ? undefined : parseExecution({ ...stored, data });
		} catch (error) {
			if (error instanceof N8nApiError && isNotStoredYet(error)) return undefined;
			throw error;
		}
	}

	/** The newest executions of a workflow, newest first, without their data. */
	async listExecutions(workflowId: string): Promise<Array<{ id: string; status: string; mode: string }>> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const page = await this.get<{ results: Array<{ id: string; status: string; mode: string }> }>(
			`/rest/executions?limit=100&filter=${filter}`,
		);
		// Once each: one that ends between n8n's two queries, of running and of ended ones, is in both.
		return [...new Map(page.results.map((execution) => [execution.id, execution])).values()];
	}

	/**
	 * *Retry* of a failed execution, to its end; returns the new execution's ID.
	 *
	 * @param loadWorkflow whether with the workflow as it is stored now
	 */
	async retryExecution(id: string, loadWorkflow = false): Promise<string> {
		const path = `/rest/executions/${id}/retry`;
		return (await this.send<{ id: string }>('POST', path, { loadWorkflow })).id;
	}

	async stopExecution(id: string): Promise<void> {
		await this.send('POST', `/rest/executions/${id}/stop`, {});
	}

	/** The bytes of one binary field of an item, wherever n8n keeps them. */
	async readBinary(item: INodeExecutionData, field = 'data'): Promise<Buffer> {
		const binary = item.binary?.[field];
		if (binary === undefined) throw new Error(`The item has no binary field "${field}".`);
		if (binary.id === undefined) return Buffer.from(binary.data, 'base64');
		const path = `/rest/binary-data?action=download&id=${encodeURIComponent(binary.id)}`;
		return Buffer.from(await (await this.request('GET', path)).arrayBuffer());
	}

	/** Descriptions of all node types, as the editor loads them. */
	async nodeTypes(): Promise<NodeTypeEntry[]> {
		return (await (await this.request('GET', '/types/nodes.json')).json()) as NodeTypeEntry[];
	}

	/** Calls a node's resource mapping method (`methods.resourceMapping`), as a mapper's form does. */
	async mapperFields(query: MapperQuery): Promise<{ fields: Array<Record<string, unknown>> }> {
		const { nodeType: name, version = 1, parameter, methodName, parameters, credentials } = query;
		return await this.send('POST', '/rest/dynamic-node-parameters/resource-mapper-fields', {
			path: `parameters.${parameter}`,
			methodName,
			nodeTypeAndVersion: { name, version },
			currentNodeParameters: parameters,
			credentials,
		});
	}

	/** Any GET; returns what stands under `data` of the answer. */
	async get<T>(path: string): Promise<T> {
		return await this.unwrap<T>(await this.request('GET', path));
	}

	/** Any other method; returns what stands under `data` of the answer. */
	async send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body: unknown): Promise<T> {
		return await this.unwrap<T>(await this.request(method, path, body));
	}

	/** @throws N8nApiError when the answer is no success */
	async request(method: string, path: string, body?: unknown): Promise<Response> {
		for (const end = Date.now() + BUSY_MS; ; await sleep(100)) {
			try {
				return await this.requestOnce(method, path, body);
			} catch (error) {
				const isBusy = error instanceof N8nApiError && error.body.includes('Database is not ready');
				if (!isBusy || Date.now() > end) throw error;
			}
		}
	}

	private async requestOnce(method: string, path: string, body?: unknown): Promise<Response> {
		const response = await fetch(`${this.url}${path}`, {
			method,
			headers: {
				cookie: this.cookie,
				// A connection that n8n closes while this process is busy would fail the next request.
				connection: 'close',
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session !== undefined) this.cookie = session.split(';')[0] ?? '';
		if (!response.ok) throw new N8nApiError(response.status, method, path, await response.text());
		return response;
	}

	private async unwrap<T>(response: Response): Promise<T> {
		const body = (await response.json()) as { data: T };
		return body.data;
	}
}
