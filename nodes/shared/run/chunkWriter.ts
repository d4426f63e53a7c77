import type { ChunkType } from 'n8n-workflow';

/** n8n's function for streaming, which it declares without its promise. */
interface ChunkSender {
	sendChunk(type: ChunkType, itemIndex: number, text?: string): void | Promise<void>;
}

export type ItemChunkWriter = ReturnType<ChunkWriter['forItem']>;

/**
 * Chats ignore the item of a chunk and show one message after the other, so one item streams at a time; texts of the
 * others wait until it has ended, in the order in which the items started.
 */
export class ChunkWriter {
	/** Resolves when all responses are sent, each of which has ended. */
	sent: Promise<void> = Promise.resolve();

	constructor(private readonly sender: ChunkSender) {}

	forItem(itemIndex: number) {
		let { sent } = this;
		let onEnd: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (onEnd = resolve));
		const send = (type: ChunkType, text?: string) => {
			// A closed chat must not fail the item.
			sent = sent.then(async () => await this.sender.sendChunk(type, itemIndex, text)).catch(() => undefined);
		};
		send('begin');
		this.sent = ended.then(async () => await sent);
		return {
			/** Sends a chunk of the response, after the responses of the items before. */
			write: (text: string) => {
				if (text !== '') send('item', text);
			},
			/** Ends the response; `problem` says why it is incomplete. */
			end: (problem?: string) => {
				if (problem !== undefined) send('error', problem);
				send('end');
				onEnd();
			},
		};
	}
}
