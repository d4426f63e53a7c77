import { asArray, asId, asObject, parseJson, type Json, type JsonObject } from '../util/json';

/** Field names of a task's id, the clearest first: §6.4 shows neither body nor headers of a callback. */
const ID_NAMES = ['taskId', 'task_id', 'taskid', 'id'];

/** Limits of what the node reads from a callback, which anybody can send. */
const MAX_CANDIDATES = 3;
const MAX_ID_LENGTH = 200;
const MAX_DEPTH = 5;
const MAX_OBJECTS = 200;

/**
 * The task ids in a callback, the likeliest first: clear names before `id`, upper levels before lower ones. A
 * callback is only a hint: a wrong id costs one poll.
 *
 * @param query of the callback URL
 * @param body as n8n parsed it; text is parsed as JSON
 * @returns at most 3 ids, each once
 */
export function taskIdsIn(query: unknown, body: unknown): string[] {
	const content = typeof body === 'string' ? parseJson(body) : (body as Json);
	const objects = [...objectsIn(query), ...objectsIn(content)];
	const ids = ID_NAMES.flatMap((name) => objects.map((object) => asId(object[name])?.trim()));
	const plausible = ids.filter((id) => id !== undefined && id !== '' && id.length <= MAX_ID_LENGTH);
	return [...new Set(plausible as string[])].slice(0, MAX_CANDIDATES);
}

/** The objects in a value, level by level. */
function objectsIn(value: unknown): JsonObject[] {
	const found: JsonObject[] = [];
	let level: unknown[] = [value];
	for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
		const objects = level
			.map(asObject)
			.filter((object) => object !== undefined)
			.slice(0, MAX_OBJECTS - found.length);
		found.push(...objects);
		const lists = level.flatMap((element) => asArray(element));
		level = [...objects.flatMap((object) => Object.values(object)), ...lists];
	}
	return found;
}
