/**
 * Reads the `flatted` format, in which n8n hands out execution data: a JSON array whose first entry is the root and in
 * which every string inside an object or array is the index of an entry. Entries may refer to each other in circles.
 * @throws SyntaxError when the text is not JSON
 */
export function parseFlatted(text: string): unknown {
	const entries = JSON.parse(text) as unknown[];
	const revived = new Map<number, unknown>();

	const entryAt = (index: number): unknown => {
		if (revived.has(index)) return revived.get(index);
		const entry = entries[index];
		// Put down before it is filled: what it holds may refer back to it.
		revived.set(index, entry);
		if (typeof entry === 'object' && entry !== null) resolveReferences(entry);
		return entry;
	};
	const resolveReferences = (holder: object): void => {
		for (const [key, value] of Object.entries(holder)) {
			if (typeof value === 'string') Reflect.set(holder, key, entryAt(Number(value)));
		}
	};
	return entryAt(0);
}
