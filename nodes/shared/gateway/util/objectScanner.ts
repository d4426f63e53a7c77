/**
 * Finds out whether a text that comes in pieces is a whole JSON object, by its brackets: to parse it again after each piece
 * takes quadratic time.
 */
export class ObjectScanner {
	private depth = 0;
	private hasBegun = false;
	private isInString = false;
	private isEscaped = false;

	get isWhole(): boolean {
		return this.hasBegun && this.depth === 0;
	}

	add(piece: string): void {
		for (const character of piece) {
			if (this.isEscaped) this.isEscaped = false;
			else if (this.isInString) {
				this.isEscaped = character === '\\';
				this.isInString = character !== '"';
			} else if (character === '"') this.isInString = true;
			else if (character === '{' || character === '[') {
				this.hasBegun = true;
				this.depth += 1;
			} else if (character === '}' || character === ']') this.depth -= 1;
		}
	}
}
