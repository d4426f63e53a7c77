import type { ChunkType, IExecuteFunctions } from 'n8n-workflow';

/** n8n's functions for an answer that is shown while it arrives. */
interface ChunkSender extends Pick<IExecuteFunctions, 'logger'> {
	sendChunk(type: ChunkType, itemIndex: number, text?: string): void | Promise<void>;
}

/** What one item says to whoever watches the execution. */
export interface ItemChunkWriter {
	/** Hands on a piece of the item's answer. */
	write(text: string): Promise<void>;
	/** The answer has ended; `problem` says why it is incomplete. */
	end(problem?: string): Promise<void>;
}

/**
 * Passes texts on to the chat or webhook that the workflow streams to. Chats show what a node says as one message
 * after the other and do not look at the item, so only one item has the floor: the texts of the others are kept
 * until it has ended, in the order in which the items began.
 */
export class ChunkWriter {
	private readonly queue: ItemWriter[] = [];
	private isMuted = false;

	constructor(private readonly sender: ChunkSender) {}

	/** Lets an item speak; its turn comes when those before it have ended. */
	forItem(itemIndex: number): ItemChunkWriter {
		const forItem = new ItemWriter(itemIndex, this);
		this.queue.push(forItem);
		return forItem;
	}

	/** Sends what the item that has the floor has to say, and passes the floor on when it has ended. */
	async advance(): Promise<void> {
		for (let first = this.queue[0]; first; first = this.queue[0]) {
			if (!(await first.flush())) return;
			if (this.queue[0] === first) this.queue.shift();
		}
	}

	/** A watcher who has gone away must not cost the answer: from then on nothing is sent. */
	async send(type: ChunkType, itemIndex: number, text?: string): Promise<void> {
		if (this.isMuted) return;
		try {
			await this.sender.sendChunk(type, itemIndex, text);
		} catch (error) {
			this.isMuted = true;
			const reason = error instanceof Error ? error.message : String(error);
			this.sender.logger.warn(`The streamed answer cannot be passed on any more: ${reason}`);
		}
	}
}

class ItemWriter implements ItemChunkWriter {
	private pending: string[] = [];
	private hasBegun = false;
	private isClosed = false;
	private ending: { problem: string | undefined } | undefined;
	/** One flush after the other: pieces must not overtake each other. */
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
