/** What `npm run demo` does once everything is installed; `scripts/demo.mjs` calls it. */
import { once } from 'node:events';
import { startGateway, type Gateway } from './gateway/gateway';
import { owner, startDemoN8n, type DemoN8n } from './demo/n8n';
import { runAndReport } from './demo/report';
import { serveSignInLink } from './demo/signIn';
import { placeWorkflow } from './demo/workflow';
import { packPackage } from './n8n/package';
import type { WorkflowJson } from './n8n/types';
import { credentialType, loadExample, loadExamples, withCredential } from './n8n/workflows';

export interface DemoOptions {
	/** End after the run. */
	once: boolean;
	/** Start with an empty n8n. */
	fresh: boolean;
	port: number;
	gatewayPort: number;
	filesPort: number;
}

/**
 * Runs the demo to its end.
 * @returns the exit code: 0 when every step worked
 */
export async function runDemo(options: DemoOptions): Promise<number> {
	const stopping = new AbortController();
	const { signal } = stopping;
	// npm passes a signal on that the terminal has sent already: a second one interrupts nothing.
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stopping.abort());
	const running: Array<() => Promise<void>> = [];
	try {
		const gateway = await startGateway({ port: options.gatewayPort, filesPort: options.filesPort });
		running.push(() => gateway.close());
		console.log(`Sandbox gateway   ${gateway.baseUrl}`);
		const n8n = await prepareN8n(options, signal);
		running.push(() => n8n.server.stop());
		const { ok, workflowUrl } = await runExample(gateway, n8n, signal);
		if (!options.once) {
			const link = await serveSignInLink(workflowUrl, n8n.client.session);
			running.push(() => link.close());
			await stayOpen(gateway, n8n, link.url, signal);
		}
		return ok ? 0 : 1;
	} catch (error) {
		if (signal.aborted) return 130;
		console.error(`\nThe demo could not continue: ${error instanceof Error ? error.message : String(error)}`);
		console.error('`npm run demo -- --fresh` starts it without what an earlier one has left.');
		return 1;
	} finally {
		if (running.length > 0 && !options.once) console.log('\nStopping n8n and the gateway…');
		for (const stop of running.reverse()) await stop();
	}
}

async function prepareN8n(options: DemoOptions, signal: AbortSignal): Promise<DemoN8n> {
	const began = Date.now();
	console.log('Package           building it, as npm would publish it');
	const tarball = await packPackage(signal);
	console.log('n8n               starting (10 to 20 s)');
	const seconds = (): number => Math.round((Date.now() - began) / 1000);
	const waiting = setInterval(() => console.log(`n8n               starting, ${seconds()} s so far`), 15_000);
	try {
		const n8n = await startDemoN8n({ tarball, port: options.port, fresh: options.fresh, signal });
		console.log(`n8n               ${n8n.server.url} · ready after ${seconds()} s`);
		return n8n;
	} finally {
		clearInterval(waiting);
	}
}

async function runExample(
	gateway: Gateway,
	{ client, server }: DemoN8n,
	signal: AbortSignal,
): Promise<{ ok: boolean; workflowUrl: string }> {
	const { baseUrl, apiKey } = gateway;
	const credential = await client.saveCredential('Sandbox gateway', credentialType, { baseUrl, apiKey });
	const workflow = readyToRun(withCredential(await loadExample('text-to-media'), credential));
	const { id, name, isBesideChanged } = await placeWorkflow(client, workflow);
	if (isBesideChanged) console.log(`Workflow          "${workflow.name}" stays as you have changed it`);
	console.log(`Workflow          "${name}", from examples/text-to-media.json; running it\n`);
	const workflowUrl = `${server.url}/workflow/${id}`;
	const run = { client, workflowUrl, gateway, workflow, workflowId: id, signal };
	const ok = await runAndReport(run);
	return { ok, workflowUrl };
}

/** The example's note says what to choose after an import, which is done here. */
function readyToRun(workflow: WorkflowJson): WorkflowJson {
	const steps = /\*\*Before the first run\*\*[^\n]*/;
	const nodes = workflow.nodes.map((node) => {
		const { content } = node.parameters;
		if (typeof content !== 'string') return node;
		const ready = content.replace(steps, '**Ready to run**: select *Execute workflow*.');
		return { ...node, parameters: { ...node.parameters, content: ready } };
	});
	return { ...workflow, nodes };
}

async function stayOpen(
	gateway: Gateway,
	{ server }: DemoN8n,
	editorLink: string,
	signal: AbortSignal,
): Promise<void> {
	console.log(`
Open the workflow in n8n (the link signs you in):

  ${editorLink}

What to try next
  1. Select Executions at the top to see this run. "Draw picture" has the picture in its output, in the tab Binary.
  2. Back in the Editor, open "Topic", change the text, and select Execute workflow.
  3. Make an image of your own: select +, search for "generate image", open Actions and select "Generate image".
     Choose a model, write a prompt, and select Execute step. The credential "Sandbox gateway" is chosen already.
  4. Import another example: select ⋯ at the top, then Import and From file.
${(await otherExamples()).map((example) => `       ${example}`).join('\n')}

  Login       ${owner.email}   password ${owner.password}   at ${server.url}
  Gateway     ${gateway.baseUrl}   key ${gateway.apiKey}
  n8n's log   ${server.logFile}

The sandbox gateway makes up texts, draws the prompt as a picture, and takes play money. Press Ctrl+C to stop.`);
	await Promise.race([server.ended(), once(signal, 'abort')]);
	if (!signal.aborted) throw new Error(`n8n has ended by itself; its log is ${server.logFile}`);
}

/** The examples that the demo does not run: file and name. */
async function otherExamples(): Promise<string[]> {
	const others = (await loadExamples()).filter(({ file }) => file !== 'text-to-media.json');
	return others.map(({ file, workflow }) => `examples/${file}`.padEnd(40) + workflow.name);
}
