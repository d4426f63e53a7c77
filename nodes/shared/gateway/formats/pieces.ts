/** A text that arrives in pieces; joined once, when it is needed. */
export class PieceList {
	private pieces: string[] = [];

	/** Adds a piece; anything but text adds nothing. */
	add(piece: unknown): void {
		if (typeof piece === 'string' && piece !== '') this.pieces.push(piece);
	}

	get isEmpty(): boolean {
		return this.pieces.length === 0;
	}

	/** The pieces so far, in one text. */
	text(): string {
		if (this.pieces.length > 1) this.pieces = [this.pieces.join('')];
		return this.pieces[0] ?? '';
	}
}
