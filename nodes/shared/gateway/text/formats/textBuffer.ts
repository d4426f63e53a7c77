/** A text that arrives in chunks; joined when it is read. */
export class TextBuffer {
	private readonly chunks: string[] = [];

	/** Adds a chunk; ignores anything but text. */
	add(chunk: unknown): void {
		if (typeof chunk === 'string' && chunk !== '') this.chunks.push(chunk);
	}

	get isEmpty(): boolean {
		return this.chunks.length === 0;
	}

	/** The text so far. */
	text(): string {
		return this.chunks.join('');
	}
}
