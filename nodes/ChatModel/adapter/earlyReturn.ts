import type { Adapter } from './types';

/**
 * LangChain reads ahead, and lets a reader that leaves wait until what it reads ahead has come: the next words of the
 * model, which may take minutes. Here a reader that leaves ends the call at once.
 */
export function patchEarlyReturn(adapter: Adapter): void {
	const open = adapter.stream?.bind(adapter);
	if (!open) return;
	adapter.stream = async (input, options) => {
		const left = new AbortController();
		const signals = options?.signal ? [options.signal, left.signal] : [left.signal];
		const pieces = await open(input, { ...options, signal: AbortSignal.any(signals) });
		const leave = pieces.return.bind(pieces);
		pieces.return = async () => {
			left.abort();
			return await leave();
		};
		return pieces;
	};
}
