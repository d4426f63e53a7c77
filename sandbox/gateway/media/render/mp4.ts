/** A short film of the prompt as MP4 (H.264). */
import { createCanvas } from '@napi-rs/canvas';
import { createH264MP4Encoder, type H264MP4Encoder } from 'h264-mp4-encoder';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { drawScene } from './draw';

export interface FilmOptions {
	/** Even numbers. */
	width: number;
	height: number;
	seconds: number;
}

const framesPerSecond = 8;

/** Films are encoded one after another: the encoder is one WebAssembly instance. */
let queue: Promise<unknown> = Promise.resolve();

export async function renderMp4(prompt: string, options: FilmOptions): Promise<Buffer> {
	const film = queue.then(() => encode(prompt, options));
	queue = film.catch(() => undefined);
	return await film;
}

async function encode(prompt: string, { width, height, seconds }: FilmOptions): Promise<Buffer> {
	const encoder = await newEncoder();
	try {
		encoder.width = width;
		encoder.height = height;
		encoder.frameRate = framesPerSecond;
		encoder.initialize();
		const context = createCanvas(width, height).getContext('2d');
		const frames = seconds * framesPerSecond;
		for (let frame = 0; frame < frames; frame += 1) {
			drawScene(context, { width, height, prompt, variation: 0, time: frame / frames, backdrop: null });
			const { data } = context.getImageData(0, 0, width, height);
			encoder.addFrameRgba(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
			await nextTurn();
		}
		encoder.finalize();
		return Buffer.from(encoder.FS.readFile(encoder.outputFilename));
	} finally {
		encoder.delete();
	}
}

/** The encoder's loader makes every unhandled rejection of the process fatal; its listeners are removed. */
async function newEncoder(): Promise<H264MP4Encoder> {
	const before = new Set([
		...process.listeners('uncaughtException'),
		...process.listeners('unhandledRejection'),
	]);
	const encoder = await createH264MP4Encoder();
	for (const listener of process.listeners('uncaughtException')) {
		if (!before.has(listener)) process.off('uncaughtException', listener);
	}
	for (const listener of process.listeners('unhandledRejection')) {
		if (!before.has(listener)) process.off('unhandledRejection', listener);
	}
	return encoder;
}
