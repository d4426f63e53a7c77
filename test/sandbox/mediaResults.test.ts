/** Results of media tasks: files, downloads, lyrics (§4.8, §4.12). */
import { createCanvas, loadImage } from '@napi-rs/canvas';
import type { JsonObject } from '../../sandbox/gateway/jsonSchema';
import { at, call, createTask, endOf, resultUrls, useGateway, waitFor } from './harness';

const gateway = useGateway();
const path = '/async/media/tasks';
const song = { model: 'harmonia/song-3', input: { prompt: 'song', lyrics: 'one two three', title: 'Песня' } };

async function fetchBytes(url: string): Promise<Buffer> {
	return Buffer.from(await (await fetch(url)).arrayBuffer());
}

async function bytesOf(json: JsonObject): Promise<Buffer> {
	const [url = ''] = resultUrls(await endOf(gateway(), await createTask(gateway(), json)));
	return await fetchBytes(url);
}

describe('results', () => {
	it('are images that decode in the requested size and are not blank', async () => {
		const prompt = 'Рыжая лиса на снегу';
		const png = await bytesOf({ model: 'aurora/canvas-1', input: { prompt, size: '512x512' } });
		expect(png.subarray(0, 4).toString('latin1')).toBe('\x89PNG');
		const image = await loadImage(png);
		expect([image.width, image.height]).toStrictEqual([512, 512]);
		const context = createCanvas(512, 512).getContext('2d');
		context.drawImage(image, 0, 0);
		const { data } = context.getImageData(0, 0, 512, 512);
		const pixels = new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
		const white = pixels.filter((pixel) => pixel === 0xffffffff);
		expect(white.length).toBeGreaterThan(500);
	});

	it('are WAV audio with the length of its header', async () => {
		const wav = await bytesOf({ model: 'voxa/speech-1', input: { text: 'hello you' } });
		expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 12)).toBe('RIFFWAVE');
		expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
	});

	it('are served without a key', async () => {
		await bytesOf({ model: 'voxa/speech-1', input: { text: 'hello' } });
		const [request] = gateway().control.requests({ host: 'files' });
		expect(request?.key.used).toBeNull();
		expect(JSON.stringify(request?.headers)).not.toContain('sk-');
	});

	it('are edits of a stored image, and errors for a missing one', async () => {
		const [url = ''] = resultUrls(await endOf(gateway(), await createTask(gateway())));
		const edit = (from: string) => ({
			model: 'aurora/retouch-1',
			input: { prompt: 'snow', image_urls: [from] },
		});
		expect(await endOf(gateway(), await createTask(gateway(), edit(url)))).toMatchObject({
			state: 'success',
		});
		const gone = `${gateway().filesUrl}/files/gone.png`;
		expect(await endOf(gateway(), await createTask(gateway(), edit(gone)))).toMatchObject({
			state: 'fail',
			failCode: 'INPUT_NOT_FOUND',
		});
	});
});

describe('download', () => {
	it('returns one file unchanged', async () => {
		const id = await createTask(gateway());
		await endOf(gateway(), id);
		const response = await call(gateway(), `${path}/${id}/download`);
		expect(response.headers.get('content-type')).toBe('image/png');
		expect(response.headers.get('content-disposition')).toBe('attachment; filename="image.png"');
	});

	it('returns several files as an uncompressed ZIP without a length', async () => {
		const id = await createTask(gateway(), song);
		const [track = ''] = resultUrls(await endOf(gateway(), id));
		const response = await fetch(`${gateway().baseUrl}${path}/${id}/download`, {
			headers: { 'x-api-key': gateway().apiKey },
		});
		const zip = Buffer.from(await response.arrayBuffer());
		expect(response.headers.get('content-type')).toBe('application/zip');
		expect(response.headers.get('content-length')).toBeNull();
		expect(response.headers.get('content-disposition')).toContain(`task_${id}.zip`);
		expect(zip.readUInt32LE(0)).toBe(0x04034b50);
		expect(zip.readUInt16LE(8)).toBe(0);
		expect(zip.readUInt16LE(zip.length - 12)).toBe(2);
		expect(zip.includes(await fetchBytes(track))).toBe(true);
	});

	it('is 404 without a result, and works for an unfinished task with one', async () => {
		gateway().control.configure({ taskDuration: { music: 6000 } });
		const id = await createTask(gateway(), song);
		expect((await call(gateway(), `${path}/${id}/download`)).status).toBe(404);
		const response = await waitFor(async () => {
			const download = await call(gateway(), `${path}/${id}/download`);
			return download.status === 200 && download;
		});
		expect(response.headers.get('content-type')).toBe('audio/wav');
		expect(gateway().control.tasks()[0]?.state).toBe('processing');
	});
});

describe('lyrics', () => {
	it('align the words of a track', async () => {
		const id = await createTask(gateway(), song);
		const { resultJson } = await endOf(gateway(), id);
		const audioId = at(JSON.parse(String(resultJson)), 'tracks.1.id');
		const { body } = await call(gateway(), `${path}/${id}/lyrics/timestamped`, { json: { audioId } });
		expect(at(body, 'data.alignedWords.2')).toStrictEqual({
			word: 'three',
			success: true,
			startS: 0.9,
			endS: 1.3,
			palign: expect.any(Number) as number,
		});
	});

	it('are 400 for an image', async () => {
		const id = await createTask(gateway());
		const json = { audioId: 'x' };
		expect((await call(gateway(), `${path}/${id}/lyrics/timestamped`, { json })).status).toBe(400);
	});
});
