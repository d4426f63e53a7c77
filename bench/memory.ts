import { waitForExecution } from '../sandbox/n8n/executions';
import type { WorkflowJson } from '../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../sandbox/n8n/workflows';
import { Environment } from '../test/e2e/support/environment';
import { gatewayNode, workflowOf } from '../test/e2e/support/workflows';
import { megabytes, memoryGrowth, table } from './measure';

/** Growth of n8n's memory while large files pass through the Storage node. */
export async function memory(): Promise<string> {
	const environment = await Environment.start();
	try {
		const big = environment.gateway.control.createBigFile({
			size: megabytes(500),
			mimeType: 'video/mp4',
			filename: 'big.mp4',
		});
		const fit = environment.gateway.control.createBigFile({
			size: megabytes(99),
			mimeType: 'video/mp4',
			filename: 'fit.mp4',
		});
		const download = (fileId: string) =>
			gatewayNode('Download', 'storage', { resource: 'file', operation: 'download', fileId });
		const upload = gatewayNode('Upload', 'storage', { resource: 'file', operation: 'upload' });
		const cases: Array<[string, WorkflowJson]> = [
			['download of 99 MB (warms up)', workflowOf('Warm-up', [download(fit.id)], { Start: ['Download'] })],
			['download of 500 MB', workflowOf('Download', [download(big.id)], { Start: ['Download'] })],
			[
				'download and upload of 99 MB',
				workflowOf('Upload', [download(fit.id), upload], { Start: ['Download'], Download: ['Upload'] }),
			],
		];
		const rows: Array<Array<string | number>> = [];
		for (const [title, workflow] of cases) {
			const { before, peak, growth } = await memoryGrowth(environment.server.pid, async () => {
				await runToSuccess(environment, workflow);
			});
			rows.push([title, before.toFixed(0), peak.toFixed(0), growth.toFixed(0)]);
		}
		return `Memory of the n8n process\n\n${table(['what', 'before (MB)', 'peak (MB)', 'growth (MB)'], rows)}`;
	} finally {
		await environment.close();
	}
}

async function runToSuccess(environment: Environment, workflow: WorkflowJson): Promise<void> {
	const { client, credential } = environment;
	const stored = await client.createWorkflow(withCredential(workflow, credential));
	const id = await client.runManually(stored.id, manualTrigger(workflow));
	const { status, data } = await waitForExecution(client, id, { timeout: 300_000 });
	if (status !== 'success')
		throw new Error(`${workflow.name}: ${status}: ${data.resultData.error?.message ?? ''}`);
}
