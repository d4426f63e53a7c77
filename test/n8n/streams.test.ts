import { createReadStream } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable as NodeReadable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';

import { ignoreErrors, deriveStream } from '../../nodes/shared/n8n/streams';

it('a stream may fail without a listener', async () => {
	const stream = new NodeReadable({ read: () => undefined });
	expect(ignoreErrors(stream)).toBe(stream);
	const isClosed = new Promise((resolve) => stream.once('close', resolve));
	stream.destroy(new Error('broken'));
	await isClosed;
	expect(stream.errored?.message).toBe('broken');
});

it('the reader of a stream that fails gets its error', async () => {
	const stream = ignoreErrors(new NodeReadable({ read: () => undefined }));
	const reading = stream.toArray();
	stream.destroy(new Error('broken'));
	await expect(reading).rejects.toThrow('broken');
});

/** The response of a server that closes after it. */
async function response(): Promise<IncomingMessage> {
	const server = createServer((_, serverResponse) => {
		serverResponse.end('content');
		server.close();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return await new Promise((resolve) => {
		// An aborted response makes its request emit an error.
		get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', () => undefined);
	});
}

describe.each<[string, () => Promise<NodeReadable>]>([
	['a response', response],
	['a file', async () => await Promise.resolve(createReadStream(__filename, { start: 0, end: 6 }))],
	[
		'a stream that is unpacked',
		async () =>
			await Promise.resolve(NodeReadable.from([gzipSync(Buffer.from('content'))]).pipe(createGunzip())),
	],
])('a stream derived from %s', (name, open) => {
	const derived = (source: NodeReadable) =>
		deriveStream(source, async function* (chunks: AsyncIterable<Uint8Array>) {
			yield Buffer.from('<');
			yield* chunks;
			yield Buffer.from('>');
		});

	it('has its chunks', async () => {
		const content = name === 'a file' ? 'import ' : 'content';
		expect(String(await buffer(derived(await open())))).toBe(`<${content}>`);
	});

	it('closes its source when it is closed', async () => {
		const source = await open();
		const isClosed = new Promise((resolve) => source.once('close', resolve));
		const derivedStream = derived(source);
		const isDerivedClosed = new Promise((resolve) => derivedStream.once('close', resolve));
		derivedStream.destroy();
		await Promise.all([isClosed, isDerivedClosed]);
		expect([source.destroyed, derivedStream.destroyed]).toStrictEqual([true, true]);
	});

	it('fails when its source fails', async () => {
		const source = await open();
		const derivedStream = derived(source);
		source.destroy(new Error('broken'));
		await expect(buffer(derivedStream)).rejects.toThrow('broken');
		expect(derivedStream.destroyed).toBe(true);
	});
});
