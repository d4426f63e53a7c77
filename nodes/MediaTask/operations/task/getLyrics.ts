import { simplify } from '../../../shared/fields/simplify';
import { fetchLyrics } from '../../../shared/gateway/endpoints/taskActions';
import { subtitles } from '../../../shared/gateway/media/subtitles';
import { asObject, omit } from '../../../shared/gateway/util/json';
import { choice, id, optional } from '../../../shared/params/kinds';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

const MIME_TYPES = { lrc: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' };

export const getLyrics = defineOperation({
	displayName: 'Get Lyrics',
	action: 'Get the timed lyrics of a song',
	description: 'Retrieve the lyrics of a track with the time of each word',
	isLight: true,
	parameters: {
		taskId,
		audioId: id({
			displayName: 'Audio ID',
			required: true,
			placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
			description: "The ID of a track, from the output field 'tracks' of the task",
			whenEmpty: 'Enter the ID of a track, e.g. {{ $json.tracks[0].id }}.',
		}),
		simplify,
	},
	options: {
		subtitleFormat: optional(
			choice({
				displayName: 'Subtitle Format',
				options: [
					{ name: 'LRC', value: 'lrc', description: 'For music players' },
					{ name: 'SRT', value: 'srt', description: 'For video editors and players' },
					{ name: 'WebVTT', value: 'vtt', description: 'For web pages' },
				],
				default: 'srt',
				description: "The file format of the lyrics in the output binary field 'subtitles'",
			}),
		),
	},
	async execute({ client, params, run, n8n }) {
		const { taskId: task, audioId, simplify: isSimple, options } = params;
		const body = await fetchLyrics(client, task, audioId);
		const lyrics = asObject(body.data) ?? {};
		// The waveform is too long for an AI Agent.
		const shown = run.isTool ? omit(lyrics, 'waveformData') : lyrics;
		const json = isSimple ? { taskId: task, audioId, ...shown } : body;
		const { subtitleFormat: format } = options;
		if (format === undefined || run.isTool) return [{ json }];
		const text = Buffer.from(subtitles(lyrics.alignedWords, format));
		const file = await n8n.helpers.prepareBinaryData(text, `subtitles.${format}`, MIME_TYPES[format]);
		return [{ json, binary: { subtitles: file } }];
	},
});
