/** POST …/lyrics/timestamped (§2.10, §4.12): when each word is sung. */
import { ApiError } from '../errors';
import type { JsonObject } from '../jsonSchema';
import { promptOf } from './render/words';
import type { MediaTask } from './task';
import { checkedBody, lyricsFields } from './validate';

/** The alignment of the track; 400 for other tasks than music (§4.12), 404 for an unknown track. */
export function alignLyrics(task: MediaTask, body: unknown): JsonObject {
	if (task.model.mediaType !== 'music') {
		throw new ApiError('invalid_request', 'Lyrics are only available for music tasks');
	}
	const { audioId } = checkedBody(lyricsFields, body);
	if (!task.tracks.some((track) => track.id === audioId)) throw new ApiError('not_found', 'Track not found');
	const { lyrics: written } = task.input;
	const lyrics = typeof written === 'string' && written ? written : promptOf(task.input);
	const words = task.input.instrumental === true ? [] : lyrics.split(/\s+/).filter(Boolean);
	return {
		alignedWords: words.map((word, index) => ({
			word,
			success: true,
			startS: index / 2,
			endS: index / 2 + 0.4,
			palign: 0.01,
		})),
		waveformData: Array.from({ length: 100 }, (_, index) => (index % 8) / 8),
		hootCer: 0.04,
		isStreamed: false,
	};
}
