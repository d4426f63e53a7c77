import { asId, parseJson } from '../util/json';

/** Field names that only a task's ID has, the specification's own first (§2.6): §6.4 does not show a callback. */
const CLEAR_NAMES = ['taskId', 'task_id', 'taskid'];

/** A field name that other IDs have as well. */
const VAGUE_NAME = 'id';

/** Field names below which a task is likely to be, also where there are too many to look at each. */
const WRAPPERS = [
	'data',
	'task',
	'tasks',
	'result',
	'body',
	'payload',
	'event',
	'object',
	'response',
	'message',
];

/** Limits of what the node reads from a callback, which anybody can send. */
const MAX_VAGUE_IDS = 3;
const MAX_ID_LENGTH = 200;
const MAX_DEPTH = 5;
/** Objects and lists, and elements of each. */
const MAX_VALUES = 200;
/** In bytes. JavaScript lists all names of an object at once: a second for a body of 16 MiB. */
const MAX_SEARCHED_BODY = 64 * 1024;
/** White space around an ID, and the ID. */
const MAX_TEXT_LENGTH = 1_000;

/**
 * The IDs in a callback that may be a task's, most likely first. A callback is only a hint: a wrong ID costs a
 * poll. Never throws, and takes about a millisecond, whatever the body.
 *
 * @param query of the callback URL
 * @param body as n8n parsed it; text is parsed as JSON
 * @param size of the body in bytes, if known; a large one is searched only below the names that are likely
 * @returns one ID if it has a clear name, in the body or in the query; otherwise up to 3, each once
 */
export function taskIdsIn(query: unknown, body: unknown, size = Infinity): string[] {
	const isSmall = size <= MAX_SEARCHED_BODY;
	const content = typeof body === 'string' && body.length <= MAX_SEARCHED_BODY ? parseJson(body) : body;
	// The length of a URL is limited.
	const objects = [...objectsIn(query, true), ...objectsIn(content, isSmall)];
	const named = (name: string) => objects.flatMap((object) => idOf(Reflect.get(object, name)) ?? []);
	const [clear] = CLEAR_NAMES.flatMap(named);
	return clear === undefined ? [...new Set(named(VAGUE_NAME))].slice(0, MAX_VAGUE_IDS) : [clear];
}

function idOf(value: unknown): string | undefined {
	if (typeof value === 'string' && value.length > MAX_TEXT_LENGTH) return undefined;
	const id = asId(value)?.trim() ?? '';
	return id !== '' && id.length <= MAX_ID_LENGTH ? id : undefined;
}

/** The objects and lists in a value, level by level. */
function objectsIn(value: unknown, isSmall: boolean): Iterable<object> {
	const depths = new Map<object, number>();
	const add = (child: unknown, depth: number) => {
		if (typeof child !== 'object' || child === null || depths.has(child) || depths.size >= MAX_VALUES) return;
		depths.set(child, depth);
	};
	add(value, 1);
	// Visits those that are added meanwhile.
	for (const [object, depth] of depths) {
		if (depth === MAX_DEPTH || depths.size >= MAX_VALUES) break;
		for (const child of childrenOf(object, isSmall)) add(child, depth + 1);
	}
	return depths.keys();
}

/** The first elements of a list, or values of an object. */
function childrenOf(object: object, isSmall: boolean): unknown[] {
	if (Array.isArray(object)) return object.slice(0, MAX_VALUES);
	const children: unknown[] = WRAPPERS.map((name): unknown => Reflect.get(object, name));
	if (!isSmall) return children;
	for (const name in object) {
		if (children.length >= MAX_VALUES) break;
		children.push(Reflect.get(object, name));
	}
	return children;
}
