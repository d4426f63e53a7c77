import { Readable } from 'node:stream';
import fc from 'fast-check';

import type { InputFile } from '../../nodes/shared/n8n/binary';
import { bodyWithFiles } from '../../nodes/shared/n8n/bodyWithFiles';

/** A file that arrives in chunks of a size, or at once. */
function fileOf(bytes: Uint8Array, size: number | undefined): InputFile {
	const open = () => {
		if (size === undefined) return Promise.resolve(bytes);
		const parts: Uint8Array[] = [];
		for (let start = 0; start < bytes.length; start += size) parts.push(bytes.slice(start, start + size));
		return Promise.resolve(Readable.from(parts) as Awaited<ReturnType<InputFile['open']>>);
	};
	return {
		fileName: 'f',
		mimeType: 'm/x',
		size: bytes.length,
		open,
		framed: () => Promise.reject(new Error('not used')),
	};
}

async function sent(body: ReturnType<typeof bodyWithFiles>): Promise<Buffer> {
	const opened = await body.open();
	if (opened instanceof Uint8Array) return Buffer.from(opened);
	const chunks: Uint8Array[] = [];
	for await (const chunk of opened) chunks.push(chunk);
	return Buffer.concat(chunks);
}

it('is the JSON with the files in base64, of the announced length, each time it is opened', async () => {
	const file = fc.tuple(
		fc.uint8Array({ minLength: 1, maxLength: 200 }),
		fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), fc.string(), async (files, text) => {
			const placeholders = files.map((_, index) => `file-${index}-unlikely`);
			const json = { text, files: placeholders.map((name) => `data:m/x;base64,${name}`) };
			const body = bodyWithFiles(
				JSON.stringify(json),
				files.map(([bytes, size], index) => ({
					placeholder: placeholders[index] ?? '',
					file: fileOf(bytes, size),
				})),
			);
			const expected = {
				text,
				files: files.map(([bytes]) => `data:m/x;base64,${Buffer.from(bytes).toString('base64')}`),
			};
			for (let time = 0; time < 2; time += 1) {
				const bytes = await sent(body);
				expect(JSON.parse(bytes.toString('utf8'))).toStrictEqual(expected);
				expect(bytes.length).toBe(body.length);
			}
		}),
		{ numRuns: 200 },
	);
});
