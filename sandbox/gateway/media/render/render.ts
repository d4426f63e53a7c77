import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { MediaType } from '../../catalogue/mediaModels';
import type { JsonObject } from '../../jsonSchema';
import type { FileStore } from '../../storage/store';
import { hash } from '../../text/reply';
import { placeholderPng } from './placeholder';
import { renderPng } from './png';
import { renderMelody } from './wav';
import { promptOf } from './words';

export interface Rendered {
	bytes: Buffer;
	filename: string;
	mimeType: string;
}

export async function renderResults(
	mediaType: MediaType,
	input: JsonObject,
	detail: 'full' | 'placeholder',
	files: FileStore,
): Promise<Rendered[]> {
	const small = detail === 'placeholder';
	switch (mediaType) {
		case 'image':
			return await renderImages(input, small, files);
		case 'video':
			return [
				{ bytes: await readFile(join(__dirname, 'film.mp4')), filename: 'video.mp4', mimeType: 'video/mp4' },
			];
		case 'music':
			return [0, 1].map((track) => renderTrack(input, track, small));
		case 'audio': {
			const text = promptOf(input);
			const seconds = small ? 0.1 : Math.min(20, 1 + text.split(/\s+/).length * 0.35);
			return [wav(renderMelody(text, seconds), 'speech.wav')];
		}
	}
}

async function renderImages(input: JsonObject, small: boolean, files: FileStore): Promise<Rendered[]> {
	const count = typeof input.num_images === 'number' ? input.num_images : 1;
	const draw = small ? placeholders(input) : await drawings(input, files);
	const images = Array.from({ length: count }, async (_, variation) => ({
		bytes: await draw(variation),
		filename: count === 1 ? 'image.png' : `image_${variation + 1}.png`,
		mimeType: 'image/png',
	}));
	return await Promise.all(images);
}

type Draw = (variation: number) => Buffer | Promise<Buffer>;

/** Another colour for each prompt and variation. */
const placeholders =
	(input: JsonObject): Draw =>
	(variation) =>
		placeholderPng(hash(`${promptOf(input)}#${variation}`));

async function drawings(input: JsonObject, files: FileStore): Promise<Draw> {
	const backdrop = await editedImage(input, files);
	const size = /^(\d+)x(\d+)$/.exec(typeof input.size === 'string' ? input.size : '');
	const width = Number(size?.[1] ?? 1024);
	const height = Number(size?.[2] ?? 1024);
	return async (variation) => await renderPng(promptOf(input), { width, height, variation, backdrop });
}

/** The first image of an edit, when it lies on this file host; images elsewhere are taken as seen. */
async function editedImage(input: JsonObject, files: FileStore): Promise<Buffer | null> {
	const [url] = Array.isArray(input.image_urls) ? (input.image_urls as unknown[]) : [];
	if (typeof url !== 'string') return null;
	const file = files.byUrl(url);
	return file?.mimeType.startsWith('image/') && file.onDisk ? await buffer(files.read(file)) : null;
}

function renderTrack(input: JsonObject, track: number, small: boolean): Rendered {
	const words = typeof input.lyrics === 'string' && input.lyrics ? input.lyrics : promptOf(input);
	return wav(renderMelody(words, small ? 0.1 : 8, track), `track_${track + 1}.wav`);
}

function wav(bytes: Buffer, filename: string): Rendered {
	return { bytes, filename, mimeType: 'audio/wav' };
}
