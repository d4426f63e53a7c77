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

/** A whole picture. */
export const PIXEL = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);
export const picture = {
	name: 'photo',
	content: Buffer.from('a picture'),
	mimeType: 'image/png',
	fileName: 'a.png',
};
export const sound = {
	name: 'voice',
	content: Buffer.from('a sound!'),
	mimeType: 'audio/mpeg',
	fileName: 'b.mp3',
};
export const film = {
	name: 'film',
	content: Buffer.from('a film'),
	mimeType: 'video/mp4',
	fileName: 'c.mp4',
};
export const paper = {
	name: 'paper',
	content: Buffer.from('%PDF-1'),
	mimeType: 'application/pdf',
	fileName: 'd.pdf',
};
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
