import { ID } from '../../../shared/gateway/util/text';
import { fileName, fileNames } from '../../../shared/fields/fileName';
import { id, choice } from '../../../shared/params/kinds';
import {
	binaryPropertyName,
	includeInput,
	limitParameters,
	pageOf,
	simplify,
} from '../../../shared/fields/results';
import {
	fetchMediaTask,
	readMediaTask,
	listMediaTasks,
	taskIdOf,
	hasEnded,
	taskError,
	fetchLyrics,
	deleteMediaTask,
	restoreMediaTask,
	setArchived,
} from '../../../shared/gateway/endpoints/tasks';
import { MAY_BE_NEW_MS } from '../../../shared/gateway/endpoints/polling';
import { taskJson, downloadArchive, isWithoutFile } from '../../../shared/n8n/taskResults';
import { defineOperation } from '../../../shared/run/operation';
import { planResult, resultOf, resultOptions, resultParameters } from './result';
import { ApiError, asError } from '../../../shared/gateway/errors/errors';
import { subtitles } from '../../../shared/gateway/media/subtitles';
import { asObject, omit } from '../../../shared/gateway/util/json';
import { suffixOf } from '../../../shared/gateway/util/fileName';

export const taskId = id({
	displayName: 'Task ID',
	required: true,
	placeholder: 'e.g. 7c9e6679-7425-40de-944b-e07fc1f90ae7',
	description: "The ID that 'Create' returned",
	allowed: ID,
	whenEmpty: "Enter the ID that 'Create' returned, e.g. {{ $json.taskId }}.",
});

/** Returns a media task with its state and result (§4.7). A failed task is no error here. */
export const get = defineOperation({
	displayName: 'Get',
	action: 'Get media task',
	description: 'Retrieve the state of a task and the URLs of its files, which work for 7 days',
	toolDescription:
		'Looks up a task that generates an image, video, music or speech by its ID. Returns its state and, when it has succeeded, the URLs of its files.',
	isRead: true,
	isSingleRequest: true,
	parameters: { taskId, simplify },
	async execute({ client, params, run }) {
		const { taskId: id, simplify: isSimple } = params;
		const body = await fetchMediaTask(client, id);
		return [{ json: isSimple || run.isTool ? taskJson(readMediaTask(body, id)) : body }];
	},
});

export const getMany = defineOperation({
	displayName: 'Get Many',
	action: 'Get many media tasks',
	description: 'Retrieve a list of tasks of the account, if the gateway offers it',
	toolDescription:
		'Lists the media tasks of the account. Returns the ID, the state, the model and the file URLs of each.',
	isRead: true,
	isSingleRequest: true,
	parameters: { ...limitParameters, simplify },
	async execute(item) {
		const isSimple = item.params.simplify || item.run.isTool;
		return pageOf(await listMediaTasks(item.client), item).map((record) => {
			const id = isSimple ? taskIdOf(record) : undefined;
			return { json: id === undefined ? record : taskJson(readMediaTask({ data: record }, id)) };
		});
	},
});

/** Waits for the existing tasks of all items at the same time (§3.1). */
export const wait = defineOperation({
	displayName: 'Wait',
	action: 'Wait for media task',
	description: 'Wait until an existing task ends, and retrieve its files',
	toolDescription:
		'Waits for a task that generates an image, video, music or speech, by its ID, until it has ended. Returns the URLs of its files.',
	isOfTask: true,
	parameters: { taskId, ...resultParameters },
	options: { ...resultOptions, includeInput },
	...fileNames,
	plan: planResult,
	async execute(item, result) {
		const { taskId: id } = item.params;
		const { maxWaitMs } = result;
		const isOwn = item.run.ledger.tasksOf(item.client.account).includes(id);
		const wait = { maxWaitMs, newMs: isOwn ? MAY_BE_NEW_MS : 0, pollImmediately: true };
		return { finish: async () => await resultOf(item, result, id, wait) };
	},
});

export const download = defineOperation({
	displayName: 'Download',
	action: 'Download result of media task',
	description: "Retrieve the file of a task, or a ZIP archive of several; 'Wait' retrieves them one by one",
	toolDescription: 'Looks up a finished task by its ID. Returns the URLs of its files.',
	parameters: { taskId },
	options: { binaryPropertyName, fileName },
	...fileNames,
	async execute(item) {
		const { taskId: id, options } = item.params;
		const task = async () => readMediaTask(await fetchMediaTask(item.client, id), id);
		// An AI Agent can use links, not files.
		if (item.run.isTool) return [{ json: taskJson(await task()) }];
		try {
			const file = await downloadArchive(item, id);
			const { fileName = null, mimeType } = file;
			return [{ json: { taskId: id, fileName, mimeType }, binary: { [options.binaryPropertyName]: file } }];
		} catch (error) {
			// §4.8: a task that has no file yet gives 404, as one that does not exist.
			if (!(error instanceof ApiError) || error.details.status !== 404) throw asError(error);
			const found = await task();
			const { state } = found;
			if (isWithoutFile(item, found, error)) return [{ json: taskJson(found) }];
			if (state === 'fail') {
				item.run.taskEnded(id, 'failed');
				throw taskError(found, item.client.settings.secrets);
			}
			if (hasEnded(state)) throw asError(error);
			throw error.with({
				message: 'The media task has not finished',
				description: `It has no file yet: its state is "${state}". Use the operation 'Wait', which returns its files.`,
				code: 'task_not_finished',
				retryable: true,
				taskId: id,
			});
		}
	},
});

const MIME_TYPES = { lrc: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' };

export const getLyrics = defineOperation({
	displayName: 'Get Lyrics',
	action: 'Get timed lyrics of song',
	description: 'Retrieve the lyrics of a track with the time of each word',
	isRead: true,
	isSingleRequest: true,
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
		subtitleFormat: choice({
			displayName: 'Subtitle Format',
			options: [
				{ name: 'LRC', value: 'lrc', description: 'For music players' },
				{ name: 'SRT', value: 'srt', description: 'For video editors and players' },
				{ name: 'WebVTT', value: 'vtt', description: 'For web pages' },
			],
			default: 'srt',
			description: "The file format of the lyrics in the output binary field 'subtitles'",
		}).optional(),
	},
	async execute({ client, params, run, n8n }) {
		const { taskId: task, audioId, simplify: isSimple, options } = params;
		const body = await fetchLyrics(client, task, audioId);
		const lyrics = asObject(body.data) ?? {};
		// The waveform is too long for an AI Agent.
		const shown = run.isTool ? omit(lyrics, 'waveformData') : lyrics;
		const json = isSimple || run.isTool ? { taskId: task, audioId, ...shown } : body;
		const { subtitleFormat: format } = options;
		if (format === undefined || run.isTool) return [{ json }];
		const text = Buffer.from(subtitles(lyrics.alignedWords, format));
		const name = `subtitles${suffixOf(audioId)}.${format}`;
		const file = await n8n.helpers.prepareBinaryData(text, name, MIME_TYPES[format]);
		return [{ json, binary: { subtitles: file } }];
	},
});

/** An operation that changes a flag of a task, and returns no more than that (§3.2, §4.9 to 4.11). */
function change(
	displayName: string,
	description: string,
	request: typeof deleteMediaTask,
	done: { archived: boolean } | { deleted: true } | { restored: true },
) {
	return defineOperation({
		displayName,
		action: `${displayName} media task`,
		description,
		isSingleRequest: true,
		parameters: { taskId },
		async execute({ client, params }) {
			await request(client, params.taskId);
			return [{ json: { ...done, taskId: params.taskId } }];
		},
	});
}

export const archive = change(
	'Archive',
	'Move a task to the archived list, where it can still be retrieved by its ID',
	async (client, id) => await setArchived(client, id, true),
	{ archived: true },
);

export const unarchive = change(
	'Unarchive',
	'Move a task from the archived list back to the active one',
	async (client, id) => await setArchived(client, id, false),
	{ archived: false },
);

export const deleteOperation = change(
	'Delete',
	"Delete a task and its files, which 'Restore' can bring back",
	deleteMediaTask,
	{ deleted: true },
);

export const restore = change('Restore', 'Bring back a deleted task and its files', restoreMediaTask, {
	restored: true,
});
