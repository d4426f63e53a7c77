/** File storage (§4.14 – §4.17). */
import type { FastifyInstance } from 'fastify';
import type { Account } from '../accounts';
import { authenticate } from '../auth';
import type { GatewayContext } from '../context';
import { ApiError } from '../errors';
import { assetRecord, uploadRecord } from './records';
import type { StoredFile } from './store';
import { uploadBase64, uploadMultipart } from './upload';

type WithId = { Params: { id: string } };

export function storageRoutes(app: FastifyInstance, context: GatewayContext): void {
	const { files } = context;

	app.post('/storage/upload', async (request) => {
		const account = authenticate(context, request);
		const file = request.isMultipart()
			? await uploadMultipart(request, account, files)
			: await uploadBase64(request.body, account, files);
		return uploadRecord(file, files);
	});

	// §4.17 shows neither parameters nor shape: `limit`, `offset`, and the assets as in §4.15.
	app.get<{ Querystring: Record<string, string | undefined> }>('/storage', (request) => {
		const account = authenticate(context, request);
		const limit = clamp(request.query.limit, 50, 1, 100);
		const offset = clamp(request.query.offset, 0, 0, Number.MAX_SAFE_INTEGER);
		const all = files.list(account.name).reverse();
		const page = all.slice(offset, offset + limit).map((file) => assetRecord(file, files));
		return { assets: page, total: all.length, limit, offset };
	});

	app.get<WithId>('/storage/:id', (request) => {
		const account = authenticate(context, request);
		return { asset: assetRecord(owned(context, account, request.params.id), files) };
	});

	app.delete<WithId>('/storage/:id', (request) => {
		const account = authenticate(context, request);
		const file = owned(context, account, request.params.id);
		files.markDeleted(file, null);
		return { success: true, asset_id: file.id };
	});
}

/** §7.5: missing and deleted files, and those of other accounts, look the same. */
function owned(context: GatewayContext, account: Account, id: string): StoredFile {
	const file = context.files.find(id);
	if (file?.account !== account.name) throw new ApiError('not_found', 'File not found');
	return file;
}

function clamp(text: string | undefined, fallback: number, min: number, max: number): number {
	const value = Number(text ?? fallback);
	return Number.isInteger(value) ? Math.min(Math.max(value, min), max) : fallback;
}
