/** What this version of Node.js says of text that is not JSON. */
export function jsonProblem(text: string): string {
	try {
		JSON.parse(text);
	} catch (error) {
		if (error instanceof Error) return error.message;
	}
	throw new Error('The text is JSON');
}
