import { asArray, asId, asObject, parseJson, type Json, type JsonObject } from '../util/json';

/** Names under which a task's id may stand, the clearest first: §6.4 shows neither body nor headers of a callback. */
const ID_NAMES = ['taskId', 'task_id', 'taskid', 'id'];

/** Bounds on what a stranger can make the node look at. */
const MAX_CANDIDATES = 3;
const MAX_ID_LENGTH = 200;
const MAX_DEPTH = 5;
const MAX_OBJECTS = 200;

/**
 * The ids that a call may speak of, the likeliest first: those under a clear name before those under `id`, those
 * further up before those further down. A call is only a hint, so a wrong guess costs a question, no more.
 *
 * @param query of the called address
 * @param body as n8n has parsed it; text is tried as JSON
 * @returns at most 3 ids, each once
 */
export function taskIdsIn(query: unknown, body: unknown): string[] {
	const content = typeof body === 'string' ? parseJson(body) : (body as Json);
	const objects = [...objectsIn(query), ...objectsIn(content)];
	const ids = ID_NAMES.flatMap((name) => objects.map((object) => asId(object[name])?.trim()));
	const plausible = ids.filter((id) => id !== undefined && id !== '' && id.length <= MAX_ID_LENGTH);
	return [...new Set(plausible as string[])].slice(0, MAX_CANDIDATES);
}

/** The objects in a value, the upper ones first. */
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
