import type { HttpRequest } from '../../../nodes/shared/gateway/client/transport';
import {
	uploadFile,
	type UploadFile,
	type UploadSettings,
} from '../../../nodes/shared/gateway/endpoints/upload';
import { byteStream, scriptedClient } from '../../helpers/client';

const CONTENT = 'bytes of a file\r\n--with lines';

const uploadOf = (fileName: string, mimeType = 'image/png', content = CONTENT): UploadFile => ({
	fileName,
	mimeType,
	size: Buffer.byteLength(content),
	framed: async (head, tail) => await Promise.resolve(Buffer.concat([head, Buffer.from(content), tail])),
});

/** The request that uploads a file. */
async function sentFor(
	file: UploadFile,
	settings: UploadSettings = {},
): Promise<{ sent: HttpRequest; body: Buffer }> {
	const { client, sent } = scriptedClient([{ body: '{"id":"f1"}' }]);
	await uploadFile(client, () => Promise.resolve(file), settings);
	const [exchange] = sent;
	if (!(exchange?.body instanceof Uint8Array)) throw new Error('no bytes were sent');
	return { sent: exchange, body: Buffer.from(exchange.body) };
}

describe('a multipart upload (§4.14)', () => {
	it('has the file after the fields, separated by the boundary in its header', async () => {
		const settings: UploadSettings = { storagePolicy: 'PERMANENT', externalUserId: 'клиент 7' };
		const { sent, body } = await sentFor(uploadOf('cat.png'), settings);
		const boundary = /^multipart\/form-data; boundary=(n8n-[0-9a-f-]{36})$/.exec(
			sent.headers['Content-Type'] ?? '',
		)?.[1];
		expect(body.toString()).toBe(
			[
				`--${boundary}`,
				'Content-Disposition: form-data; name="storagePolicy"',
				'',
				'PERMANENT',
				`--${boundary}`,
				'Content-Disposition: form-data; name="externalUserId"',
				'',
				'клиент 7',
				`--${boundary}`,
				'Content-Disposition: form-data; name="file"; filename="cat.png"',
				'Content-Type: image/png',
				'',
				CONTENT,
				`--${boundary}--`,
				'',
			].join('\r\n'),
		);
		expect(sent).toStrictEqual({
			method: 'POST',
			url: 'https://gateway.test/api/v1/storage/upload',
			headers: {
				Accept: 'application/json, */*;q=0.5',
				'Content-Type': `multipart/form-data; boundary=${boundary}`,
				'Content-Length': String(body.length),
			},
			body,
			signal: undefined,
			maxBytes: undefined,
			timeoutMs: 315_000,
			kind: 'create',
		});
	});

	it.each([
		['a "b" "c".png', 'a %22b%22 %22c%22.png'],
		['a\r\nX-Evil: 1\r\n.png', 'a%0D%0AX-Evil: 1%0D%0A.png'],
		['кот 🙂.png', 'кот 🙂.png'],
		['50%.png', '50%.png'],
		['', ''],
	])('writes the name %j as HTML forms do', async (name, written) => {
		const { body } = await sentFor(uploadOf(name));
		expect(body.toString()).toContain(
			`; name="file"; filename="${written}"\r\nContent-Type: image/png\r\n\r\n`,
		);
	});

	it('keeps a type within its line', async () => {
		const { body } = await sentFor(uploadOf('a', 'image/png\r\nX-Evil: 1\n'));
		expect(body.toString()).toContain('\r\nContent-Type: image/pngX-Evil: 1\r\n\r\n');
	});
});

it('the stream of an upload is opened again for each attempt, and each is closed', async () => {
	const opened: Array<ReturnType<typeof byteStream>> = [];
	const heads: string[] = [];
	const file: UploadFile = {
		...uploadOf('cat.png'),
		framed: async (head, tail) => {
			const stream = byteStream(Buffer.concat([head, Buffer.from(CONTENT), tail]).toString());
			opened.push(stream);
			heads.push(Buffer.from(head).toString());
			return await Promise.resolve(stream);
		},
	};
	const { client, sent } = scriptedClient([{ status: 503 }, { status: 429 }, { body: '{"id":"f1"}' }]);
	const uploading = uploadFile(client, () => Promise.resolve(file), {});
	await expect(uploading).resolves.toStrictEqual({ id: 'f1' });
	expect(opened).toHaveLength(3);
	expect(new Set(opened).size).toBe(3);
	expect(sent.map(({ body }) => body)).toStrictEqual(opened);
	expect(opened.map(({ destroyed }) => destroyed)).toStrictEqual([true, true, true]);
	const boundaries = sent.map(({ headers }) => headers['Content-Type']?.split('boundary=')[1]);
	expect(new Set(boundaries).size).toBe(3);
	expect(boundaries).toStrictEqual(heads.map((head) => head.slice(2, head.indexOf('\r\n'))));
});
