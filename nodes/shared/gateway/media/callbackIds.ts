import { asId, asObject, parseJson } from '../util/json';

/** Field names that only a task's ID has, the specification's own first (§2.6): §6.4 does not show a callback. */
const CLEAR_NAMES = ['taskId', 'task_id', 'taskid'];

/** A field name that other IDs have as well. */
const VAGUE_NAME = 'id';

/** Limits of what the node reads from a callback, which anybody can send. */
const MAX_VAGUE_IDS = 3;
const MAX_ID_LENGTH = 200;
/** Objects and lists. */
const MAX_OBJECTS = 500;
/** In bytes. JavaScript lists all names of an object at once: a second for a body of 16 MiB. */
const MAX_SEARCHED_BODY = 64 * 1024;

/**
 * The IDs in a callback that may be a task's, most likely first: one if it has a clear name, otherwise up to 3. A callback is
 * only a hint: a wrong ID costs a poll. Never throws, and takes about a millisecond, whatever the body.
 *
 * @param size of the body in bytes, if known; of a large one, only the uppermost fields and those of `data` are read
 */
export function taskIdsIn(query: unknown, body: unknown, size = Infinity): string[] {
	const content = typeof body === 'string' && body.length <= MAX_SEARCHED_BODY ? parseJson(body) : body;
	const inBody = size <= MAX_SEARCHED_BODY ? objectsIn(content) : [content, asObject(content)?.data];
	// The length of a URL is limited.
	const places = [...objectsIn(query), ...inBody];
	const named = (name: string) => places.flatMap((place) => idOf(asObject(place)?.[name]) ?? []);
	const [clear] = CLEAR_NAMES.flatMap(named);
	return clear === undefined ? [...new Set(named(VAGUE_NAME))].slice(0, MAX_VAGUE_IDS) : [clear];
}

function idOf(value: unknown): string | undefined {
	const text = asId(value) ?? '';
	return text.length <= MAX_ID_LENGTH ? text.trim() || undefined : undefined;
}

/** The objects and lists in a value, level by level. */
function objectsIn(value: unknown): object[] {
	const found: object[] = [];
	const queue = [value];
	// Visits those that are added meanwhile.
	for (const next of queue) {
		if (found.length === MAX_OBJECTS) break;
		if (typeof next !== 'object' || next === null) continue;
		found.push(next);
		for (const child of Object.values(next)) queue.push(child);
	}
	return found;
}
