import { runNode, type RunOptions } from '../../helpers/engine';

export { gateway } from '../../helpers/media';

/** Runs an operation of the resource File. */
export const run = async (operation: string, parameters: object, extra: Partial<RunOptions> = {}) =>
	await runNode({ node: 'storage', ...extra, parameters: { resource: 'file', operation, ...parameters } });

/** The record of an uploaded file (§4.14). */
export const uploaded = {
	id: 'f1',
	fileType: 'IMAGE',
	mimeType: 'image/png',
	source: 'USER_UPLOAD',
	storagePolicy: 'TEMP_UPLOAD',
	url: 'https://files.test/f1.png',
	size: 9,
	externalUserId: null,
	expiresAt: '2026-03-02T00:00:00.000Z',
	createdAt: '2026-03-01T00:00:00.000Z',
	updatedAt: '2026-03-01T00:00:00.000Z',
};
