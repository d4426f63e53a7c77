import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

import { fileOf, fileOfBytes, type FileOwner } from '../../nodes/shared/n8n/binary';
import type { ByteStream } from '../../nodes/shared/gateway/client/transport';

// A file as a stream: alone, or between a head and a tail.

const bytesOf = async (opened: ByteStream | Uint8Array) =>
	opened instanceof Uint8Array ? Buffer.from(opened).toString() : (await buffer(opened)).toString();
const [head, tail] = [Buffer.from('<'), Buffer.from('>')];

/** The owner of a file that n8n stores under an ID; records the requested IDs. */
function owner(content: string) {
	const opened: string[] = [];
	const helpers = {
		getBinaryMetadata: async (id: string) => await Promise.resolve({ fileSize: content.length, id }),
		getBinaryStream: async (id: string) => {
			opened.push(id);
			return await Promise.resolve(Readable.from([Buffer.from(content)]));
		},
	};
	return { opened, own: { n8n: { helpers }, index: 2 } as unknown as FileOwner };
}

const properties = { fileName: 'a.txt', mimeType: 'text/plain' };

it('bytes can be opened any number of times', async () => {
	const file = fileOfBytes(properties, Buffer.from('äb'));
	expect(file).toMatchObject({ ...properties, size: 3 });
	for (let time = 0; time < 2; time += 1) {
		expect(await bytesOf(await file.open())).toBe('äb');
		expect(await bytesOf(await file.framed(head, tail))).toBe('<äb>');
	}
});

it('a stored file is read again each time it is opened', async () => {
	const { opened, own } = owner('stored');
	const file = await fileOf(own, { ...properties, data: 'filesystem-v2', id: 'x1' });
	expect(file).toMatchObject({ ...properties, size: 6 });
	expect(opened).toStrictEqual([]);
	expect(await bytesOf(await file.open())).toBe('stored');
	expect(await bytesOf(await file.framed(head, tail))).toBe('<stored>');
	expect(opened).toStrictEqual(['x1', 'x1']);
});

it('a file without an ID is read from its item', async () => {
	const { opened, own } = owner('stored');
	const file = await fileOf(own, { ...properties, data: Buffer.from('in memory').toString('base64') });
	expect(file).toMatchObject({ ...properties, size: 9 });
	expect(await bytesOf(await file.open())).toBe('in memory');
	expect(opened).toStrictEqual([]);
});
