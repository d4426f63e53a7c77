import type { WorkflowJson, WorkflowNode } from '../sandbox/n8n/types';
import { OwnEnvironment } from '../test/e2e/support/environment';
import { gatewayNode, workflowOf } from '../test/e2e/support/workflows';
import { execute } from './execute';
import { httpRequest, signedWith } from './httpRequest';
import { memoryGrowth, type Row } from './measure';

interface File {
	id: string;
	url: string;
}

interface Contender {
	download: (file: File) => WorkflowNode;
	upload: (environment: OwnEnvironment) => WorkflowNode;
}

const contenders: Contender[] = [
	{
		download: ({ id }) =>
			gatewayNode('Download', 'storage', { resource: 'file', operation: 'download', fileId: id }),
		upload: () => gatewayNode('Upload', 'storage', { resource: 'file', operation: 'upload' }),
	},
	{
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

/** How much n8n's memory grows while large files pass through a node, in MB; each contender has an n8n of its own. */
export async function memory(): Promise<Row[]> {
	const [ours, http] = [new Map<string, number>(), new Map<string, number>()];
	for (const [index, contender] of contenders.entries()) await measure(contender, index === 0 ? ours : http);
	return [...ours].map(([what, growth]) => ({
		what: `Memory for a ${what}`,
		ours: `${growth.toFixed(0)} MB`,
		others: [`HTTP Request ${(http.get(what) ?? NaN).toFixed(0)} MB`],
	}));
}

async function measure({ download, upload }: Contender, growths: Map<string, number>): Promise<void> {
	const environment = await OwnEnvironment.start();
	try {
		const { control } = environment.gateway;
		const file = (size: number) =>
			control.createBigFile({ size: size * 1024 * 1024, mimeType: 'video/mp4', filename: `${size}.mp4` });
		const [big, fit] = [file(500), file(99)];
		// The first one warms up.
		await execute(environment, workflowOf('Warm-up', [download(fit)], { Start: ['Download'] }));
		const cases: Array<[string, WorkflowJson]> = [
			['download of 500 MB', workflowOf('Download', [download(big)], { Start: ['Download'] })],
			[
				'download and upload of 99 MB',
				workflowOf('Upload', [download(fit), upload(environment)], {
					Start: ['Download'],
					Download: ['Upload'],
				}),
			],
		];
		for (const [what, workflow] of cases) {
			let id = '';
			const growth = await memoryGrowth(environment.server.pid, async () => {
				id = await execute(environment, workflow);
			});
			const { status } = await environment.client.readExecution(id);
			if (status !== 'success') throw new Error(`${workflow.name}: ${status}`);
			growths.set(what, growth);
		}
	} finally {
		await environment.close();
	}
}
