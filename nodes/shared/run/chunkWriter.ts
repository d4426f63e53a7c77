import type { ChunkSender, ChunkType } from '../n8n/features';

/** Streams the response of one item. */
export interface ItemChunkWriter {
	/** Sends a chunk of the response. */
	write(text: string): Promise<void>;
	/** Ends the response; `problem` says why it is incomplete. */
	end(problem?: string): Promise<void>;
}

/** The response of an item, as far as it is not sent. */
interface Response {
	readonly itemIndex: number;
	text: string;
	hasBegun: boolean;
	ending: { problem: string | undefined } | undefined;
}

/**
 * Streams texts to the workflow's chat or webhook. Chats ignore the item of a chunk and show one message after
 * the other, so one item streams at a time; texts of the others wait until it has ended, in the order in which
 * the items started.
 */
export class ChunkWriter {
	private readonly queue: Response[] = [];
	/** Chunks are sent one after the other. */
	private sending: Promise<void> = Promise.resolve();
	private isMuted = false;

	constructor(private readonly sender: ChunkSender) {}

	/** Returns the writer of an item. Its texts are sent when the items before it have ended. */
	forItem(itemIndex: number): ItemChunkWriter {
		const response: Response = { itemIndex, text: '', hasBegun: false, ending: undefined };
		this.queue.push(response);
		const advance = async () => {
			this.sending = this.sending.then(async () => await this.sendFirst());
			await this.sending;
		};
		return {
			write: async (text) => {
				response.text += text;
				await advance();
			},
			end: async (problem) => {
				response.ending ??= { problem };
				await advance();
			},
		};
	}

	/** Sends what there is of the first response; when it has ended, continues with the next. */
	private async sendFirst(): Promise<void> {
		const [first] = this.queue;
		if (!first || (first.text === '' && !first.ending)) return;
		const { itemIndex } = first;
		if (!first.hasBegun) await this.send('begin', itemIndex);
		first.hasBegun = true;
		const { text } = first;
		first.text = '';
		if (text !== '') await this.send('item', itemIndex, text);
		// Text may have arrived meanwhile.
		if (!first.ending || first.text !== '') return;
		const { problem } = first.ending;
		if (problem !== undefined) await this.send('error', itemIndex, problem);
		await this.send('end', itemIndex);
		this.queue.shift();
		await this.sendFirst();
	}

	/** Sends nothing more after an error: a closed chat must not fail the item. */
	private async send(type: ChunkType, itemIndex: number, text?: string): Promise<void> {
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
