import type { ChunkSender, ChunkType } from '../n8n/features';

/** Streams the response of one item. */
export interface ItemChunkWriter {
	/** Sends a chunk of the response. */
	write(text: string): Promise<void>;
	/** Ends the response; `problem` says why it is incomplete. */
	end(problem?: string): Promise<void>;
}

/**
 * Streams texts to the workflow's chat or webhook. Chats ignore the item of a chunk and show one message after
 * the other, so one item streams at a time; texts of the others wait until it has ended, in the order in which
 * the items started.
 */
export class ChunkWriter {
	private readonly queue: ItemWriter[] = [];
	private isMuted = false;

	constructor(private readonly sender: ChunkSender) {}

	/** Returns the writer of an item. Its texts are sent when the items before it have ended. */
	forItem(itemIndex: number): ItemChunkWriter {
		const writer = new ItemWriter(itemIndex, this);
		this.queue.push(writer);
		return writer;
	}

	/** Sends the pending texts of the first item in the queue, and continues with the next one when it has ended. */
	async advance(): Promise<void> {
		for (let first = this.queue[0]; first; first = this.queue[0]) {
			if (!(await first.flush())) return;
			if (this.queue[0] === first) this.queue.shift();
		}
	}

	/** Sends nothing more after an error: a closed chat must not fail the item. */
	async send(type: ChunkType, itemIndex: number, text?: string): Promise<void> {
		if (this.isMuted) return;
		try {
			await this.sender.sendChunk(type, itemIndex, text);
		} catch (error) {
			this.isMuted = true;
			const reason = error instanceof Error ? error.message : String(error);
			this.sender.logger.warn(`The streamed response can no longer be sent on: ${reason}`);
		}
	}
}

class ItemWriter implements ItemChunkWriter {
	private pending: string[] = [];
	private hasBegun = false;
	private isClosed = false;
	private ending: { problem: string | undefined } | undefined;
	/** Flushes run one after the other, which keeps the chunks in order. */
	private flushing: Promise<unknown> = Promise.resolve();

	constructor(
		private readonly itemIndex: number,
		private readonly chunkWriter: ChunkWriter,
	) {}

	async write(text: string): Promise<void> {
		this.pending.push(text);
		await this.chunkWriter.advance();
	}

	async end(problem?: string): Promise<void> {
		this.ending ??= { problem };
		await this.chunkWriter.advance();
	}

	/** Sends what is pending; true when the item has ended and all of it is sent. */
	async flush(): Promise<boolean> {
		const run = this.flushing.then(async () => await this.sendPending());
		this.flushing = run;
		return await run;
	}

	private async sendPending(): Promise<boolean> {
		if (!this.hasBegun && (this.pending.length > 0 || this.ending)) {
			this.hasBegun = true;
			await this.chunkWriter.send('begin', this.itemIndex);
		}
		const { ending } = this;
		const text = this.pending.join('');
		this.pending = [];
		if (text !== '') await this.chunkWriter.send('item', this.itemIndex, text);
		if (!ending || this.pending.length > 0) return false;
		if (!this.isClosed) {
			this.isClosed = true;
			if (ending.problem !== undefined) await this.chunkWriter.send('error', this.itemIndex, ending.problem);
			await this.chunkWriter.send('end', this.itemIndex);
		}
		return true;
	}
}
