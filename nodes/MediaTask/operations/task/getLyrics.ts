import { simplify } from '../../../shared/fields/simplify';
import { fetchLyrics } from '../../../shared/gateway/endpoints/taskActions';
import { asObject, omit } from '../../../shared/gateway/util/json';
import { id } from '../../../shared/params/kinds';
import { defineOperation } from '../../../shared/run/operation';
import { taskId } from './taskId';

export const getLyrics = defineOperation({
	displayName: 'Get Lyrics',
	action: 'Get the timed lyrics of a song',
	description: 'Retrieve the lyrics of a track with the time of each word',
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
	async execute({ client, params, run }) {
		const { taskId: task, audioId, simplify: isSimple } = params;
		const body = await fetchLyrics(client, task, audioId);
		if (!isSimple) return [{ json: body }];
		const lyrics = asObject(body.data) ?? {};
		// The waveform is too long for an AI Agent.
		return [{ json: { taskId: task, audioId, ...(run.isTool ? omit(lyrics, 'waveformData') : lyrics) } }];
	},
});
