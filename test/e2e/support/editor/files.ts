import { renderPng } from '../../../../sandbox/gateway/media/render/png';
import type { WorkflowJson, WorkflowNode } from '../../../../sandbox/n8n/types';
import { behindItems, itemsNode } from '../workflows';

/** A picture of 320 × 200 pixels. */
export const picture = renderPng('A lamp', { width: 320, height: 200, variation: 3, backdrop: null });

/** A workflow with a node for each file, by the file's name: each makes the file, as an earlier step of a workflow would. */
export async function workflowOfFiles(
	files: Record<string, [mimeType: string, content: Buffer | Promise<Buffer>]>,
): Promise<WorkflowJson> {
	const contents: Record<string, string> = {};
	const nodes: WorkflowNode[] = [];
	for (const [fileName, [mimeType, content]] of Object.entries(files)) {
		const sourceProperty = `file${nodes.length}`;
		contents[sourceProperty] = (await content).toString('base64');
		nodes.push({
			name: fileName,
			type: 'n8n-nodes-base.convertToFile',
			typeVersion: 1.1,
			parameters: { operation: 'toBinary', sourceProperty, options: { fileName, mimeType } },
			position: [440, nodes.length * 240],
		});
	}
	return behindItems('Files', itemsNode('Items', [contents]), nodes);
}
