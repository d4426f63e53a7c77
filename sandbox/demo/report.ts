import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INodeExecutionData } from 'n8n-workflow';
import type { Gateway } from '../gateway/gateway';
import type { N8nClient } from '../n8n/client';
import { resultOf, waitForExecution, type RunResult } from '../n8n/executions';
import { sandboxFolder } from '../n8n/runtime';
import type { WorkflowJson } from '../n8n/types';
import { manualTrigger } from '../n8n/workflows';
import { checkPng } from './png';

interface Run {
	client: N8nClient;
	/** The workflow in n8n's editor. */
	workflowUrl: string;
	gateway: Gateway;
	workflow: WorkflowJson;
	workflowId: string;
	signal: AbortSignal;
}

type Item = INodeExecutionData & { json: Record<string, string | number> };

/** Runs the example and prints output and cost of each step. Returns whether all of them succeeded. */
export async function runAndReport(run: Run): Promise<boolean> {
	const began = Date.now();
	const before = run.gateway.control.balance();
	const executionId = await run.client.runManually(run.workflowId, manualTrigger(run.workflow));
	const execution = await waitForExecution(run.client, executionId, { signal: run.signal });
	const result = resultOf(execution);
	try {
		await report(result, run, before);
	} catch (error) {
		console.error(`  failed     ${error instanceof Error ? error.message : String(error)}`);
		const address = `${run.workflowUrl}/executions/${executionId}`;
		console.error(`\nThe run did not succeed. Look at it in n8n, or in its log: ${address}`);
		return false;
	}
	console.log(`\nEvery step worked, in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
	return true;
}

async function report(result: RunResult, { client, gateway }: Run, before: string): Promise<void> {
	const text = itemOf(result, 'Write image prompt').json;
	line('Text', `"${String(text['text'])}"`);
	line('', `${String(text['model'])} · ₽${String(text['costRub'])}`);

	const picture = itemOf(result, 'Draw picture');
	const taskId = String(picture.json['taskId']);
	line('Picture', `task ${taskId} · ₽${String(picture.json['priceRub'])}`);
	const bytes = await client.readBinary(picture);
	const { width, height } = await checkPng(bytes);
	const folder = join(sandboxFolder, 'demo', 'pictures');
	await mkdir(folder, { recursive: true });
	const path = join(folder, `${taskId}.png`);
	await writeFile(path, bytes);
	line('', `${width} × ${height} PNG, ${Math.ceil(bytes.length / 1024)} kB: ${path}`);

	const file = itemOf(result, 'Keep in storage').json;
	line('Storage', `file ${String(file['id'])}`);
	line('', String(file['url']));

	const { amount } = itemOf(result, 'Balance left').json;
	line('Balance', `₽${before} before · ₽${String(amount)} after`);
	const charges = gateway.control.ledger().map((charge) => `${charge.kind} ₽${charge.amount}`);
	line('', `${charges.length} charges: ${charges.join(', ')}`);
}

/** The item of a step; a step without one has failed or was not reached. */
function itemOf(result: RunResult, name: string): Item {
	const node = result.nodes[name];
	const [item] = node?.items ?? [];
	if (item !== undefined && node?.error === undefined) return item as Item;
	const { message = 'gave nothing', description = '' } = node?.error ?? result.error ?? {};
	throw new Error(`"${name}": ${message} ${description}`);
}

function line(title: string, text: string): void {
	console.log(`  ${title.padEnd(10)} ${text}`);
}
