// n8n evaluates each text of a node that begins with `=`, also one that the editor has from a catalogue.

/** A value from outside that n8n is to take as it is: one that begins with `=` becomes the expression that gives it. */
export function editorValue<T>(value: T): T | string {
	if (typeof value !== 'string' || !value.startsWith('=')) return value;
	const escaped = value.replace(
		/[^\w ]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
	return `={{ "${escaped}" }}`;
}

/** A text from outside that the editor shows, and stores with the value. */
export function editorLabel(text: string): string {
	return text.startsWith('=') ? `"${text}"` : text;
}
