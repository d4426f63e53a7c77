import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { binaryStorage } from '../../helpers/engine';

// Attachments of a prompt.

/** An input item with these files in its binary fields. */
export async function withFiles(
	...files: Array<{ name: string; content: Buffer; mimeType: string; fileName: string }>
): Promise<INodeExecutionData> {
	const storage = await binaryStorage();
	const binary: INodeExecutionData['binary'] = {};
	for (const { name, content, mimeType, fileName } of files) {
		const stored = { data: '', mimeType, fileName };
		const location = { type: 'execution' as const, workflowId: 'w', executionId: 'e' };
		binary[name] = await storage.store(location, content, stored);
	}
	return { json: {}, binary };
}

const file = (name: string, text: string, mimeType: string, fileName: string) => ({
	name,
	content: Buffer.from(text),
	mimeType,
	fileName,
});
export const picture = file('photo', 'a picture', 'image/png', 'a.png');
export const sound = file('voice', 'a sound!', 'audio/mpeg', 'b.mp3');
export const film = file('film', 'a film', 'video/mp4', 'c.mp4');
export const paper = file('paper', '%PDF-1', 'application/pdf', 'd.pdf');
export const b64 = (file: { content: Buffer }) => file.content.toString('base64');
export const attach = (...attachment: Array<Record<string, string>>): INodeParameters => ({
	attachments: { attachment },
});
export const fromField = (type: string, binaryPropertyName: string) => ({
	type,
	source: 'binary',
	binaryPropertyName,
});
export const fromUrl = (type: string, url: string) => ({ type, source: 'url', url });
