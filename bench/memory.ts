import { waitForExecution } from '../sandbox/n8n/executions';
import type { WorkflowJson, WorkflowNode } from '../sandbox/n8n/types';
import { manualTrigger, withCredential } from '../sandbox/n8n/workflows';
import { OwnEnvironment } from '../test/e2e/support/environment';
import { gatewayNode, workflowOf } from '../test/e2e/support/workflows';
import { httpRequest, signedWith } from './httpRequest';
import { megabytes, memoryGrowth, STANDSTILL_MB, table } from './measure';
import type { Headline, Report } from './report';

/** A file at the gateway. */
interface File {
	id: string;
	url: string;
}

/** A workflow that moves large files. */
interface Contender {
	name: string;
	download: (file: File) => WorkflowNode;
	upload: (environment: OwnEnvironment) => WorkflowNode;
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

/** The growth of a contender's n8n. */
interface Measured {
	contender: string;
	what: string;
	before: number;
	peak: number;
	growth: number;
}

const WARM_UP = 'download of 99 MB (warms up)';

/** Growth of n8n's memory while large files pass through a node; each contender has an n8n of its own. */
export async function memory(): Promise<Report> {
	const results: Measured[] = [];
	for (const contender of contenders) results.push(...(await measured(contender)));
	const rows = results.map(({ contender, what, before, peak, growth }) => [
		contender,
		what,
		...[before, peak, growth].map((value) => value.toFixed(0)),
	]);
	return {
		details: `Memory of the n8n process\n\n${table(['node', 'what', 'before (MB)', 'peak (MB)', 'growth (MB)'], rows)}`,
		headlines: headlines(results),
	};
}

function headlines(results: Measured[]): Headline[] {
	const [ours, http] = contenders.map(({ name }) => results.filter(({ contender }) => contender === name));
	return (ours ?? [])
		.filter(({ what }) => what !== WARM_UP)
		.map(({ what, growth }) => {
			const other = http?.find((result) => result.what === what)?.growth ?? NaN;
			return {
				what: `Memory growth, ${what}`,
				ours: `${growth.toFixed(0)} MB`,
				compared: `HTTP Request ${other.toFixed(0)} MB`,
				aim: 'no more than HTTP Request',
				met: growth <= other + STANDSTILL_MB,
			};
		});
}

async function measured({ name, download, upload }: Contender): Promise<Measured[]> {
	const environment = await OwnEnvironment.start();
	try {
		const { control } = environment.gateway;
		const file = (size: number) =>
			control.createBigFile({ size: megabytes(size), mimeType: 'video/mp4', filename: `${size}.mp4` });
		const [big, fit] = [file(500), file(99)];
		const cases: Array<[string, WorkflowJson]> = [
			[WARM_UP, workflowOf('Warm-up', [download(fit)], { Start: ['Download'] })],
			['download of 500 MB', workflowOf('Download', [download(big)], { Start: ['Download'] })],
			[
				'download and upload of 99 MB',
				workflowOf('Upload', [download(fit), upload(environment)], {
					Start: ['Download'],
					Download: ['Upload'],
				}),
			],
		];
		const results: Measured[] = [];
		for (const [what, workflow] of cases) {
			const { before, peak, growth } = await memoryGrowth(environment.server.pid, async () => {
				await runToSuccess(environment, workflow);
			});
			results.push({ contender: name, what, before, peak, growth });
		}
		return results;
	} finally {
		await environment.close();
	}
}

async function runToSuccess(environment: OwnEnvironment, workflow: WorkflowJson): Promise<void> {
	const { client, credential } = environment;
	const stored = await client.createWorkflow(withCredential(workflow, credential));
	const id = await client.runManually(stored.id, manualTrigger(workflow));
	const { status, data } = await waitForExecution(client, id, { timeout: 300_000 });
	if (status !== 'success')
		throw new Error(`${workflow.name}: ${status}: ${data.resultData.error?.message ?? ''}`);
}
