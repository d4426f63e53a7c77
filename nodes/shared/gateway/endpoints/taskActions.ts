import type { ErrorText, StatusTexts } from '../errors/texts';
import { ignoreAlreadyDone } from '../errors/fromResponse';
import { asObject, type JsonObject } from '../util/json';
import type { GatewayClient } from '../client/client';
import { missingInResponse } from './response';
import { TASK_TEXTS, taskPath } from './tasks';

const ACTION = { group: 'media', kind: 'read', texts: TASK_TEXTS } as const;

/** §3.2: a flag that has the value already gives 404. */
function flagTexts(flag: string): StatusTexts {
	return {
		...TASK_TEXTS,
		404: {
			message: `The media task is ${flag}, or does not exist`,
			description:
				'The gateway responds to both in the same way, so there may be nothing to do. Otherwise check the task ID and the credential.',
		},
	};
}

const NO_LYRICS: ErrorText = {
	message: 'The gateway has no lyrics for this',
	description:
		"Lyrics exist for the tracks of music tasks only. Enter the ID of such a task, and as 'Audio ID' the 'id' of one of its 'tracks'.",
};

/**
 * Moves a task to the archived list or back (§4.9). The 404 for a flag that has that value already (§3.2) is an error,
 * unless an earlier attempt may have set it.
 */
export async function setArchived(client: GatewayClient, taskId: string, archived: boolean): Promise<void> {
	const texts = flagTexts(archived ? 'archived already' : 'not archived');
	const path = `${taskPath(taskId)}/archive`;
	const json = { archive: archived };
	await client.json({ ...ACTION, method: 'PATCH', texts, path, json }).catch(ignoreAlreadyDone);
}

/** Marks a task and its files as deleted (§4.10); repeating it changes nothing. */
export async function deleteMediaTask(client: GatewayClient, taskId: string): Promise<void> {
	await client.json({ ...ACTION, method: 'DELETE', path: taskPath(taskId) });
}

/** Restores a deleted task and its files (§4.11); repeating it changes nothing. */
export async function restoreMediaTask(client: GatewayClient, taskId: string): Promise<void> {
	await client.json({ ...ACTION, method: 'POST', path: `${taskPath(taskId)}/restore` });
}

/** Fetches the lyrics of a track with the time of each word (§4.12): the envelope as received, unless it has no lyrics. */
export async function fetchLyrics(
	client: GatewayClient,
	taskId: string,
	audioId: string,
): Promise<JsonObject> {
	const path = `${taskPath(taskId)}/lyrics/timestamped`;
	const texts = { ...TASK_TEXTS, 400: NO_LYRICS, 404: NO_LYRICS };
	const body = await client.json({ ...ACTION, method: 'POST', texts, path, json: { audioId } });
	if (!Array.isArray(asObject(body.data)?.alignedWords)) throw missingInResponse('lyrics').with(NO_LYRICS);
	return body;
}

/** Creates a media session (§4.13, which shows the shape of neither request nor response): the body as received. */
export async function createMediaSession(client: GatewayClient, body: JsonObject): Promise<JsonObject> {
	return await client.json({
		group: 'media',
		kind: 'create',
		method: 'POST',
		path: '/media/sessions',
		json: body,
	});
}
