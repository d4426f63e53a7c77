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
	/** The balance before the run, in rubles. */
	before: string;
	signal: AbortSignal;
}

/** Runs the example and prints output and cost of each step. Returns whether all of them succeeded. */
export async function runAndReport(run: Run): Promise<boolean> {
	const began = Date.now();
	const executionId = await run.client.runManually(run.workflowId, manualTrigger(run.workflow));
	const execution = await waitForExecution(run.client, executionId, { signal: run.signal });
	const result = resultOf(execution);
	const address = `${run.workflowUrl}/executions/${executionId}`;
	try {
		reportText(result);
		await reportPicture(result, run);
		reportFile(result);
		reportBalance(result, run);
	} catch (error) {
		console.error(`  failed     ${error instanceof Error ? error.message : String(error)}`);
		console.error(`\nThe run did not succeed. Look at it in n8n, or in its log: ${address}`);
		return false;
	}
	console.log(`\nEvery step worked, in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
	return true;
}

function reportText(result: RunResult): void {
	const { json } = itemOf(result, 'Write image prompt');
	line('Text', `"${textField(json, 'text')}"`);
	line('', `${textField(json, 'model')} · ${rubles(json['costRub'])}`);
}

async function reportPicture(result: RunResult, { client, gateway }: Run): Promise<void> {
	const item = itemOf(result, 'Draw picture');
	const taskId = textField(item.json, 'taskId');
	const state = textField(item.json, 'state');
	const charge = gateway.control.ledger().find((entry) => entry.taskId === taskId);
	line('Picture', `task ${taskId} · ${state} · ${rubles(charge?.amount)}`);
	if (state !== 'success') throw new Error(`The task ended in state "${state}".`);

	const bytes = await client.readBinary(item);
	const { width, height } = await checkPng(bytes);
	const folder = join(sandboxFolder, 'demo', 'pictures');
	await mkdir(folder, { recursive: true });
	const file = join(folder, `${taskId}.png`);
	await writeFile(file, bytes);
	line('', `${width} × ${height} PNG, ${Math.ceil(bytes.length / 1024)} kB: ${file}`);
}

function reportFile(result: RunResult): void {
	const { json } = itemOf(result, 'Keep in storage');
	line('Storage', `file ${textField(json, 'id')} · ${rubles('0.00')}`);
	line('', textField(json, 'url'));
}

function reportBalance(result: RunResult, { gateway, before }: Run): void {
	const { json } = itemOf(result, 'Balance left');
	line('Balance', `${rubles(before)} before · ${rubles(textField(json, 'amount'))} after`);
	const charges = gateway.control.ledger();
	line(
		'',
		`${charges.length} charges: ${charges.map(({ kind, amount }) => `${kind} ${rubles(amount)}`).join(', ')}`,
	);
}

/** The item of a step; a step without one has failed or was not reached. */
function itemOf(result: RunResult, name: string): INodeExecutionData {
	const node = result.nodes[name];
	const item = node?.items[0];
	const failure = node?.error ?? result.error;
	if (item !== undefined && node?.error === undefined) return item;
	throw new Error(
		`"${name}": ${failure === undefined ? 'gave nothing' : [failure.message, failure.description].join(' ')}`,
	);
}

function textField(json: Record<string, unknown>, name: string): string {
	const value = json[name];
	if (typeof value === 'string' && value !== '') return value;
	throw new Error(`The output has no "${name}".`);
}

function rubles(amount: unknown): string {
	return typeof amount === 'string' || typeof amount === 'number' ? `₽${amount}` : 'price not reported';
}

function line(title: string, text: string): void {
	console.log(`  ${title.padEnd(10)} ${text}`);
}
