import type { WorkflowNode } from '../../sandbox/n8n/types';
import { saveOpenAiCredential } from './support/agents';
import { useOwnEnvironment, type OwnEnvironment } from './support/environment';
import { balanceTool, mediaTool } from './support/tools';
import type { Service } from './support/workflows';

// The nodes of the package as tools of n8n's agents that have no workflow (the module "agents", off by default).

let environment: OwnEnvironment;
let projectUrl: string;

useOwnEnvironment((started) => (environment = started), { n8n: { N8N_ENABLED_MODULES: 'agents' } });
beforeAll(async () => {
	const response = await request('GET', `${environment.server.url}/rest/projects/personal`);
	const { data } = (await response.json()) as { data: { id: string } };
	projectUrl = `${environment.server.url}/rest/projects/${data.id}/agents/v2`;
});

beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 0 } });
});

async function request(method: string, url: string, body?: object): Promise<Response> {
	const headers = { cookie: environment.client.session, 'content-type': 'application/json' };
	const response = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
	if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
	return response;
}

const asTool = (
	[, { name, type, typeVersion, parameters }]: [Service, WorkflowNode],
	description: string,
) => ({
	type: 'node',
	name,
	// The editor of n8n 2.40 stores none, and the model reads "Execute the … node"; n8n's AI Assistant writes one.
	description,
	node: {
		// The editor stores the action node.
		nodeType: type.replace(/Tool$/, ''),
		nodeTypeVersion: typeVersion,
		nodeParameters: parameters,
		credentials: { aiGatewayApi: environment.credential },
	},
});

/** Asks a new agent, and returns the events of its response. */
async function ask(message: string): Promise<string> {
	const { id: credential } = await saveOpenAiCredential(environment);
	const config = {
		name: 'Agent',
		model: 'openai/sandbox/balanced-2',
		credential,
		instructions: 'Use the tools.',
		tools: [
			asTool(mediaTool, 'Generates an image from a description'),
			asTool(balanceTool, 'Says how much money is left'),
		],
	};
	const created = await request('POST', projectUrl, { name: 'Agent' });
	const { data } = (await created.json()) as { data: { id: string } };
	const agentUrl = `${projectUrl}/${data.id}`;
	const stored = await request('GET', `${agentUrl}/config`);
	const { configHash } = ((await stored.json()) as { data: { configHash: string } }).data;
	await request('PUT', `${agentUrl}/config`, { config, baseConfigHash: configHash });
	return await (await request('POST', `${agentUrl}/chat`, { message })).text();
}

it('an agent that is asked to draw calls the media tool, and gets the URL of the picture', async () => {
	const events = await ask('Draw a lighthouse at dusk');
	const tasks = environment.gateway.control.tasks();
	expect(tasks).toHaveLength(1);
	expect(tasks[0]?.input).toMatchObject({ prompt: expect.stringContaining('lighthouse') as string });
	expect(events).toContain(tasks[0]?.resultUrls[0]);
});

it('the model reads why a tool failed, and the agent responds', async () => {
	environment.gateway.control.addFault({
		match: { path: '/async/media/tasks', method: 'POST' },
		action: { kind: 'error', code: 'insufficient_quota' },
	});
	// An equal call would get the picture of the test before.
	const events = await ask('Draw a harbour at dawn');
	expect(events).toMatch(/"tool-result".*not enough money/);
	expect(events).toContain('"type":"done"');
	expect(environment.gateway.control.tasks()).toHaveLength(0);
});
