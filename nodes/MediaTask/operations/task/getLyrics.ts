import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { compact, simplifyField } from '../../../shared/fields/common';
import { asObject, type JsonObject } from '../../../shared/gateway/util/json';
import { fetchLyrics } from '../../../shared/gateway/endpoints/taskActions';
import { readTaskId, taskIdField } from './taskId';

const audioIdField: INodeProperties = {
	displayName: 'Audio ID',
	name: 'audioId',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID of one of the tracks in the task’s output field 'tracks'",
};

/** Tells when each word of a track is sung (§4.12, §2.10). Music tasks only. */
export const getLyrics: Operation = {
	displayName: 'Get Lyrics',
	action: 'Get timed lyrics of music task',
	description: 'Retrieve the words of one of a task’s tracks, with the seconds at which each is sung',
	properties: [taskIdField, audioIdField, simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const simplify = item.parameters.flag('simplify', 'Simplify');
		const taskId = readTaskId(item);
		const audioId = item.parameters.requiredId(
			'audioId',
			'Audio ID',
			'Enter the ID of a track, e.g. {{ $json.tracks[0].id }}.',
		);
		const body = await fetchLyrics(item.client, taskId, audioId);
		if (!simplify) return [{ json: body }];
		return [{ json: compact({ taskId, audioId, ...alignment(body, item.run.isTool) }) }];
	},
};

/** The alignment of an envelope; an AI Agent has no use for the curve of the sound. */
function alignment({ data }: JsonObject, isTool: boolean): JsonObject {
	const { waveformData, ...rest } = asObject(data) ?? {};
	return isTool || waveformData === undefined ? rest : { ...rest, waveformData };
}
