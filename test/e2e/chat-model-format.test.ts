import { agent, balanceTool, FORMATS, model, pathOf, start, writerTool } from './support/agents';
import { useEnvironment, type Environment } from './support/environment';
import { clusterOf } from './support/workflows';

// Output Format and Tool Choice of the chat model in n8n's AI Agent.

const place = {
	outputFormat: 'jsonSchema',
	schemaName: 'place',
	jsonSchema:
		'{"type": "object", "properties": {"city": {"type": "string", "enum": ["Oslo"]}}, "required": ["city"]}',
};
let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => await environment.gateway.control.reset());

async function ask(text: string, parameters: { format?: string; [name: string]: unknown }) {
	const services = [model(parameters), balanceTool, writerTool];
	const { nodes, error } = await environment.runWorkflow(
		clusterOf('Formats', [start, agent(text)], services),
	);
	const path = pathOf(parameters.format ?? 'chat');
	const calls = environment.gateway.control.requests({ path }).map(({ body }) => body.json);
	const runs = { balance: nodes['Balance']?.runs ?? 0, writer: nodes['Writer']?.runs ?? 0 };
	const output = nodes['Agent']?.items[0]?.json['output'];
	return { output: typeof output === 'string' ? output : '', error, calls, runs };
}

describe.each(FORMATS)('%s', (format) => {
	it('responds with JSON by the schema', async () => {
		const { output, error } = await ask('Which place is it?', { format, ...place });
		expect(error).toBeUndefined();
		expect(JSON.parse(output)).toStrictEqual({ city: 'Oslo' });
	});

	it('a tool that must be called is called once, and the agent responds', async () => {
		const options = { toolChoice: 'function', toolChoiceName: 'Balance' };
		const { output, runs, calls } = await ask('Say hello', { format, options });
		expect(runs).toStrictEqual({ balance: 1, writer: 0 });
		expect(calls).toHaveLength(2);
		expect(output).toContain('are left in the wallet');
	});
});
