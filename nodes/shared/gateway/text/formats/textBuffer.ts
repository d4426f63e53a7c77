/** A text that arrives in pieces; joined when it is needed. */
export class TextBuffer {
	private readonly pieces: string[] = [];

	/** Adds a piece; anything but text adds nothing. */
	add(piece: unknown): void {
		if (typeof piece === 'string' && piece !== '') this.pieces.push(piece);
	}

	get isEmpty(): boolean {
		return this.pieces.length === 0;
	}

	/** The pieces so far, in one text. */
	text(): string {
		return this.pieces.join('');
	}
}
