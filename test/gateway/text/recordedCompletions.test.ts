import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';

import { textFormat, textFormats } from '../../../nodes/shared/gateway/text/formats';
import { recordedCases } from '../../fixtures/recordedCases';
import { chunksOf, readStream } from '../../helpers/streams';

const folder = (format: string) => join(__dirname, '../../fixtures', format, 'recorded');
const cases = textFormats.flatMap((format) =>
	recordedCases(format).map(([name, request]) => ({ format: format.name, name, output: request.output })),
);
const bytesOf = (format: string, name: string) => readFileSync(join(folder(format), `${name}.sse`));

/** All up to 16; then primes, which end anywhere in an event, and the sizes of buffers and packets. */
const SIZES = [
	...Array.from({ length: 16 }, (_, index) => index + 1),
	...[17, 19, 23, 29, 31, 32, 37, 41, 43, 47, 53, 59, 61, 64, 101, 128, 255, 256, 1000, 1024, 1460, 4096],
];

/** IDs and times differ between two requests. */
function comparable(body: unknown): unknown {
	const text = JSON.stringify(body)
		.replace(/\b(chatcmpl-|msg_|resp_|call_|toolu_|fc_|rs_|ws_|bt_|audio_)[0-9a-f-]+/g, '$1…')
		.replace(/"(created|created_at|completed_at|expires_at)":\d+/g, '"$1":0');
	return JSON.parse(text);
}

it.each(textFormats)('$name has an unstreamed and a streamed response for each case', (format) => {
	const recorded = recordedCases(format).map(([label]) => label);
	expect(recorded.length).toBeGreaterThan(8);
	expect(readdirSync(folder(format.name)).sort()).toStrictEqual(
		recorded.flatMap((label) => [`${label}.json`, `${label}.sse`]).sort(),
	);
});

describe.each(cases)('$format: $name', ({ format, name, output }) => {
	const whole: unknown = JSON.parse(readFileSync(join(folder(format), `${name}.json`), 'utf8'));
	const bytes = bytesOf(format, name);
	const read = async (chunks: Uint8Array[]) => await readStream(format, chunks, { output });

	it('is the same completion streamed and unstreamed', async () => {
		const { body } = await read([bytes]);
		expect(comparable(body)).toStrictEqual(comparable(whole));
	});

	it('shows the text of the first choice', async () => {
		const { body, shown } = await read(chunksOf(bytes, 50));
		expect(shown.join('')).toBe(textFormat(format).readCompletion(body, output).choices[0]?.text);
	});

	it('is the same in chunks of any size', async () => {
		const { body: expected } = await read([bytes]);
		// The recorded audio is long and repetitive: a few sizes are enough.
		const sizes = name === 'audio' ? [1, 7, 1460] : SIZES.filter((size) => size < bytes.length);
		const others: number[] = [];
		const showingNothing: number[] = [];
		for (const size of sizes) {
			const { body, shown } = await read(chunksOf(bytes, size));
			if (!isDeepStrictEqual(body, expected)) others.push(size);
			if (shown.includes('')) showingNothing.push(size);
		}
		expect({ others, showingNothing }).toStrictEqual({ others: [], showingNothing: [] });
	}, 60_000);
});

it('comments, pings, unknown events and line ends change nothing, however a stream is split', async () => {
	const noise: Record<string, string> = {
		chat: ': ping\n\n',
		responses: 'data: {"type":"response.ping"}\n\ndata: {"type":"response.brand.new","delta":"no"}\n\n',
		messages:
			'event: ping\ndata: {"type":"ping"}\n\nevent: new_thing\ndata: {"type":"new_thing","delta":{"text":"no"}}\n\n',
	};
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(...cases.filter(({ name }) => name !== 'audio')),
			fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }),
			fc.array(fc.nat({ max: 40 }), { maxLength: 5 }),
			fc.boolean(),
			async ({ format, name, output }, sizes, places, crlf) => {
				const text = bytesOf(format, name).toString('utf8');
				const frames = text.split('\n\n').filter((frame) => frame !== '');
				for (const place of places) {
					const at = Math.min(place, frames.length - 1);
					frames[at] = `${noise[format] ?? ''}${frames[at]}`;
				}
				const noisy = `${frames.join('\n\n')}\n\n`;
				const bytes = Buffer.from(crlf ? noisy.replaceAll('\n', '\r\n') : noisy);
				const chunks: Uint8Array[] = [];
				for (let start = 0, index = 0; start < bytes.length; index += 1) {
					const size = sizes[index % sizes.length] ?? 1;
					chunks.push(bytes.subarray(start, start + size));
					start += size;
				}
				const expected = await readStream(format, text, { output });
				const actual = await readStream(format, chunks, { output });
				expect(actual.body).toStrictEqual(expected.body);
				expect(actual.shown.join('')).toBe(expected.shown.join(''));
			},
		),
		{ numRuns: 150 },
	);
}, 60_000);
