import { createReadStream } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Readable as NodeReadable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';

import { ignoreErrors, deriveStream } from '../../nodes/shared/n8n/streams';

it('a stream that nobody listens to may break', async () => {
	const stream = new NodeReadable({ read: () => undefined });
	expect(ignoreErrors(stream)).toBe(stream);
	const isClosed = new Promise((resolve) => stream.once('close', resolve));
	stream.destroy(new Error('broken'));
	await isClosed;
	expect(stream.errored?.message).toBe('broken');
});

it('whoever reads a stream that breaks gets its error', async () => {
	const stream = ignoreErrors(new NodeReadable({ read: () => undefined }));
	const reading = stream.toArray();
	stream.destroy(new Error('broken'));
	await expect(reading).rejects.toThrow('broken');
});

it('what is no stream of Node’s is left as it is', () => {
	const body = { destroy: () => undefined };
	expect(ignoreErrors(body)).toBe(body);
});

/** The response of a server that closes after it. */
async function response(): Promise<IncomingMessage> {
	const server = createServer((_, answer) => {
		answer.end('content');
		server.close();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return await new Promise((resolve) => {
		// A response that is broken breaks its request.
		get({ port, host: '127.0.0.1', agent: false }, resolve).on('error', () => undefined);
	});
}

describe.each<[string, () => Promise<NodeReadable>]>([
	['a list', async () => await Promise.resolve(NodeReadable.from([Buffer.from('content')]))],
	['a response', response],
	['a file', async () => await Promise.resolve(createReadStream(__filename, { start: 0, end: 6 }))],
	['a stream that is passed through', async () => await Promise.resolve(new PassThrough().end('content'))],
	[
		'a stream that is unpacked',
		async () =>
			await Promise.resolve(NodeReadable.from([gzipSync(Buffer.from('content'))]).pipe(createGunzip())),
	],
])('what is made from %s', (name, open) => {
	const wrapped = (source: NodeReadable) =>
		deriveStream(source, async function* (portions: AsyncIterable<Uint8Array>) {
			yield Buffer.from('<');
			yield* portions;
			yield Buffer.from('>');
		});

	it('has its portions', async () => {
		const content = name === 'a file' ? 'import ' : 'content';
		expect(String(await buffer(wrapped(await open())))).toBe(`<${content}>`);
	});

	it('is closed with it', async () => {
		const source = await open();
		const isClosed = new Promise((resolve) => source.once('close', resolve));
		const made = wrapped(source);
		const isMadeClosed = new Promise((resolve) => made.once('close', resolve));
		made.destroy();
		await Promise.all([isClosed, isMadeClosed]);
		expect([source.destroyed, made.destroyed]).toStrictEqual([true, true]);
	});

	it('breaks with it', async () => {
		const source = await open();
		const made = wrapped(source);
		source.destroy(new Error('broken'));
		await expect(buffer(made)).rejects.toThrow('broken');
		expect(made.destroyed).toBe(true);
	});
});
