// n8n evaluates each text of a node that begins with `=`, also one that the editor has from a catalogue.

/** A value from the catalogue for a parameter. Text that begins with `=` becomes an expression that evaluates to it. */
export function editorValue<T>(value: T): T | string {
	if (typeof value !== 'string' || !value.startsWith('=')) return value;
	const escaped = value.replace(
		/[^\w ]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
	return `={{ "${escaped}" }}`;
}

/** A label from the catalogue, which the editor stores with the value; quoted if it begins with `=`. */
export function editorLabel(text: string): string {
	return text.startsWith('=') ? `"${text}"` : text;
}
