import { waitForExecution } from '../sandbox/n8n/executions';
import type { WorkflowJson, WorkflowNode } from '../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../sandbox/n8n/workflows';
import { Environment } from '../test/e2e/support/environment';
import { gatewayNode, workflowOf } from '../test/e2e/support/workflows';
import { httpRequest, signedWith } from './httpRequest';
import { megabytes, memoryGrowth, table } from './measure';

/** A file at the gateway. */
interface File {
	id: string;
	url: string;
}

/** One who moves large files. */
interface Contender {
	name: string;
	download: (file: File) => WorkflowNode;
	upload: (environment: Environment) => WorkflowNode;
}

const contenders: Contender[] = [
	{
		name: 'Gateway Storage',
		download: ({ id }) =>
			gatewayNode('Download', 'storage', { resource: 'file', operation: 'download', fileId: id }),
		upload: () => gatewayNode('Upload', 'storage', { resource: 'file', operation: 'upload' }),
	},
	{
		name: 'HTTP Request',
		download: ({ url }) =>
			httpRequest('Download', { url, options: { response: { response: { responseFormat: 'file' } } } }),
		upload: ({ gateway: { baseUrl, apiKey } }) =>
			httpRequest('Upload', {
				method: 'POST',
				url: `${baseUrl}/storage/upload`,
				...signedWith(apiKey),
				sendBody: true,
				contentType: 'multipart-form-data',
				bodyParameters: {
					parameters: [{ parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' }],
				},
			}),
	},
];

/** Growth of n8n's memory while large files pass through a node; each contender has an n8n of its own. */
export async function memory(): Promise<string> {
	const rows: Array<Array<string | number>> = [];
	for (const contender of contenders) rows.push(...(await measured(contender)));
	return `Memory of the n8n process\n\n${table(['node', 'what', 'before (MB)', 'peak (MB)', 'growth (MB)'], rows)}`;
}

async function measured({ name, download, upload }: Contender): Promise<Array<Array<string | number>>> {
	const environment = await Environment.start();
	try {
		const { control } = environment.gateway;
		const file = (size: number) =>
			control.createBigFile({ size: megabytes(size), mimeType: 'video/mp4', filename: `${size}.mp4` });
		const [big, fit] = [file(500), file(99)];
		const cases: Array<[string, WorkflowJson]> = [
			['download of 99 MB (warms up)', workflowOf('Warm-up', [download(fit)], { Start: ['Download'] })],
			['download of 500 MB', workflowOf('Download', [download(big)], { Start: ['Download'] })],
			[
				'download and upload of 99 MB',
				workflowOf('Upload', [download(fit), upload(environment)], {
					Start: ['Download'],
					Download: ['Upload'],
				}),
			],
		];
		const rows: Array<Array<string | number>> = [];
		for (const [title, workflow] of cases) {
			const { before, peak, growth } = await memoryGrowth(environment.server.pid, async () => {
				await runToSuccess(environment, workflow);
			});
			rows.push([name, title, before.toFixed(0), peak.toFixed(0), growth.toFixed(0)]);
		}
		return rows;
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
