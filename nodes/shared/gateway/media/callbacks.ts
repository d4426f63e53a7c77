/** Anybody can send a callback, and each ID costs a request. */
const MAX_IDS = 10;

/** No word of a sentence, status, URL or version: letters, digits, `_` and `-`, with a digit. */
const LOOKS_LIKE_ID = /^(?=\D*\d)(?!\d{1,5}$)[\w-]{2,200}$/;

/** The end of a name whose value is an ID: `taskId`, `task-id`, `uuid`, `task`. */
const NAMES_ID = /(id|task)$/i;

/** §6.4 does not show a callback, so anything that looks like an ID may be the task's: a wrong one costs a poll. */
export function taskIdsIn(text: string): string[] {
	// The words of a form are encoded. Those of a URL stay together.
	const words = text.replace(/%[\da-f]{2}/gi, ' ').split(/[^\w./-]+/);
	const named = words.filter((_, index) => NAMES_ID.test(words[index - 1] ?? ''));
	// The words of a prompt, and times, may be more than are polled.
	return [...new Set([...named, ...words].filter((word) => LOOKS_LIKE_ID.test(word)))].slice(0, MAX_IDS);
}
