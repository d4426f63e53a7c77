import type { Adapter } from './types';

/**
 * LangChain reads ahead: a reader that leaves waits for the next chunk, which may take minutes. This patch aborts
 * the request at once.
 */
export function patchEarlyReturn(adapter: Adapter): void {
	const open = adapter.stream?.bind(adapter);
	if (!open) return;
	adapter.stream = async (input, options) => {
		const reading = new AbortController();
		const signals = options?.signal ? [options.signal, reading.signal] : [reading.signal];
		const chunks = await open(input, { ...options, signal: AbortSignal.any(signals) });
		const leave = chunks.return.bind(chunks);
		chunks.return = async () => {
			reading.abort();
			return await leave();
		};
		return chunks;
	};
}
