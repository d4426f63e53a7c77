/** File storage (§2.7, §3.4, §4.14 – §4.17). */
import type { JsonObject } from '../../sandbox/gateway/jsonSchema';
import { renderMelody } from '../../sandbox/gateway/media/render/wav';
import { at, call, useGateway, type HttpResponse } from './harness';

const gateway = useGateway();
const wav = renderMelody('do re mi', 0.2);

function form(fields: Record<string, string> = {}, bytes = wav, type = 'audio/wav'): FormData {
	const data = new FormData();
	data.set('file', new Blob([new Uint8Array(bytes)], { type }), 'песня.wav');
	for (const [name, value] of Object.entries(fields)) data.set(name, value);
	return data;
}

const upload = async (body: FormData): Promise<HttpResponse> =>
	await call(gateway(), '/storage/upload', { body });
const uploadJson = async (json: JsonObject): Promise<HttpResponse> =>
	await call(gateway(), '/storage/upload', { json });

it('accepts multipart, also with fields after the file, and serves the bytes without a key', async () => {
	const { status, body } = await upload(form({ externalUserId: 'user-1', storagePolicy: 'PERMANENT' }));
	expect(status).toBe(200);
	expect(body).toStrictEqual({
		id: expect.any(String) as string,
		fileType: 'AUDIO',
		mimeType: 'audio/wav',
		source: 'USER_UPLOAD',
		storagePolicy: 'PERMANENT',
		url: expect.stringContaining(gateway().filesUrl) as string,
		size: wav.length,
		externalUserId: 'user-1',
		expiresAt: null,
		createdAt: expect.stringMatching(/Z$/) as string,
		updatedAt: expect.stringMatching(/Z$/) as string,
	});
	const bytes = Buffer.from(await (await fetch(String(body.url))).arrayBuffer());
	expect(bytes.equals(wav)).toBe(true);
});

it('accepts base64 for 24 hours, with the type of the bytes', async () => {
	const { status, body } = await uploadJson({ base64: wav.toString('base64'), mimeType: 'image/png' });
	expect(status).toBe(200);
	expect(body).toMatchObject({ mimeType: 'audio/wav', size: wav.length, externalUserId: null });
	const kept = Date.parse(String(body.expiresAt)) - Date.parse(String(body.createdAt));
	expect(kept).toBe(24 * 3_600_000);
});

it('returns the metadata in its own shape', async () => {
	const { id, url } = (await upload(form())).body;
	const { body } = await call(gateway(), `/storage/${String(id)}`);
	expect(body).toStrictEqual({
		asset: {
			id,
			filename: 'песня.wav',
			storage_key: expect.any(String) as string,
			asset_type: 'chat_upload',
			mime_type: 'audio/wav',
			extension: '.wav',
			size_bytes: wav.length,
			status: 'active',
			source: 'user_upload',
			created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
			updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
			url,
		},
	});
	expect(at((await call(gateway(), '/storage')).body, 'assets.0.id')).toBe(id);
});

it('deletes the record and the bytes of a file', async () => {
	const { id, url } = (await upload(form())).body;
	const path = `/storage/${String(id)}`;
	expect((await call(gateway(), path, { method: 'DELETE' })).body).toStrictEqual({
		success: true,
		asset_id: id,
	});
	expect((await call(gateway(), path, { method: 'DELETE' })).status).toBe(404);
	expect((await call(gateway(), path)).status).toBe(404);
	expect((await fetch(String(url))).status).toBe(404);
	expect((await call(gateway(), '/storage')).body).toMatchObject({ assets: [], total: 0 });
});

it('hides the files of other accounts', async () => {
	const { id } = (await upload(form())).body;
	const { key } = gateway().control.createKey({ account: 'other' });
	expect((await call(gateway(), `/storage/${String(id)}`, { key })).status).toBe(404);
});

it.each<[string, () => Promise<HttpResponse>]>([
	['no file', () => upload(new FormData())],
	['no base64', () => uploadJson({})],
	['bad base64', () => uploadJson({ base64: '%%%' })],
	['a policy that clients may not set', () => upload(form({ storagePolicy: 'TEMP_GENERATION' }))],
	['externalUserId over 128', () => upload(form({ externalUserId: 'u'.repeat(129) }))],
	['a type without a name in §2.7', () => upload(form({}, Buffer.from('text'), 'text/plain'))],
])('responds with 400 to %s', async (_what, send) => {
	const { status, body } = await send();
	expect(status).toBe(400);
	expect(body).toStrictEqual({ error: { message: expect.any(String) as string, type: 'invalid_request' } });
});
