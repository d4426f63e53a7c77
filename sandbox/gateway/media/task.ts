/** A media task and its status view (§2.6). */
import type { MediaModel } from '../catalogue/mediaModels';
import type { JsonObject } from '../jsonSchema';
import { formatRubles, type Nano } from '../money';
import type { FileStore, StoredFile } from '../storage/store';

export interface Track {
	id: string;
	fileId: string;
	title: string;
}

export interface Failure {
	failCode: string;
	failMsg: string;
}

export interface MediaTask {
	readonly id: string;
	readonly account: string;
	readonly model: MediaModel;
	/** With the schema's defaults filled in. */
	readonly input: JsonObject;
	readonly price: Nano;
	readonly createTime: number;
	readonly callBackUrl: string | null;
	readonly sessionId: string | null;
	readonly idempotencyKey: string | null;
	state: 'waiting' | 'processing' | 'success' | 'fail';
	files: StoredFile[];
	tracks: Track[];
	failure: Failure | null;
	refund?: () => void;
	/** Unix milliseconds; null while it runs. */
	endTime: number | null;
	archived: boolean;
	deleted: boolean;
}

export function isEnded(task: MediaTask): boolean {
	return task.state === 'success' || task.state === 'fail';
}

/** The status view of §2.6; `resultJson` is empty as long as there is no result. */
export function statusView(task: MediaTask, store: FileStore): JsonObject {
	return {
		taskId: task.id,
		model: task.model.id,
		state: task.state,
		createTime: task.createTime,
		resultJson: task.files.length === 0 ? '' : JSON.stringify(result(task, store)),
		failCode: task.failure?.failCode ?? null,
		failMsg: task.failure?.failMsg ?? null,
	};
}

function result(task: MediaTask, store: FileStore): JsonObject {
	const resultUrls = task.files.map((file) => store.url(file));
	if (task.model.mediaType !== 'music') return { resultUrls };
	const tracks = task.tracks.map(({ id, title, fileId }) => ({
		id,
		title,
		audioUrl: task.files.filter((file) => file.id === fileId).map((file) => store.url(file))[0],
	}));
	return { resultUrls, tracks };
}

/** What control shows of a task, also of a deleted one. */
export function controlView(task: MediaTask, store: FileStore) {
	return {
		taskId: task.id,
		account: task.account,
		model: task.model.id,
		mediaType: task.model.mediaType,
		state: task.state,
		archived: task.archived,
		deleted: task.deleted,
		idempotencyKey: task.idempotencyKey,
		callBackUrl: task.callBackUrl,
		price: formatRubles(task.price),
		createTime: task.createTime,
		endTime: task.endTime,
		resultUrls: task.files.map((file) => store.url(file)),
		input: task.input,
	};
}
