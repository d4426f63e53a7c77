import { loadImage } from '@napi-rs/canvas';

/**
 * The size of a picture in pixels.
 * @throws when it cannot be decoded
 */
export async function checkPng(bytes: Buffer): Promise<{ width: number; height: number }> {
	const { width, height } = await loadImage(bytes);
	return { width, height };
}
