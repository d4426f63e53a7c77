/** A picture of the prompt as PNG. */
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { drawScene } from './draw';

export interface PictureOptions {
	width: number;
	height: number;
	variation: number;
	/** Bytes of an image to edit. */
	backdrop: Buffer | null;
}

export async function renderPng(prompt: string, options: PictureOptions): Promise<Buffer> {
	const { width, height, variation } = options;
	const backdrop = options.backdrop ? await loadImage(options.backdrop) : null;
	const canvas = createCanvas(width, height);
	drawScene(canvas.getContext('2d'), { width, height, prompt, variation, time: 0, backdrop });
	return await canvas.encode('png');
}
