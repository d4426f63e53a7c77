import type { StoppedError } from '../../errors/errors';
import type { Lane } from './waitQueue';

/** What a gate depends on. */
export interface GateClock {
	/** Unix milliseconds. */
	now(): number;
	sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
	/** A number in [0, 1). */
	random(): number;
}

/** Calls a listener when the run ends, and returns a function that removes it. */
export type OnStop = (listener: (stopped: StoppedError) => void) => () => void;

/** A request that has passed the gate. */
export interface Passage {
	/** Unix milliseconds. */
	at: number;
	/** Whether it was sent in spite of a block, besides the probe. */
	isOutside?: boolean;
	/** Whether the limit of tokens applies to it. */
	usesTokens?: boolean | undefined;
}

/** How a request waits. */
export interface WaitSettings {
	lane: Lane;
	/** When it came, in Unix milliseconds: a request that was refused keeps its place. Default: now. */
	since?: number | undefined;
	/** So many others that were sent after this time, in Unix milliseconds, are to be taken first, if they wait. */
	afterOthers?: { count: number; sentAfter: number } | undefined;
	/** How long it waits, in milliseconds, while the gateway refuses all requests. */
	longestMs: number;
	/** Ends the wait. */
	signal?: AbortSignal | undefined;
	/** Ends the wait with the run. */
	onStop?: OnStop | undefined;
	/** The most requests in a minute. Default: as many as the gateway takes. */
	requestsPerMinute?: number | undefined;
}

/** A request that waits. */
export interface Waiting {
	lane: Lane;
	/** When it came. */
	since: number;
	/** The begin of this wait. */
	begin: number;
	/** So many others that were sent after the last refusal are to be taken first. */
	others: number;
	/** When it was refused last. */
	sentAfter: number | undefined;
	longestMs: number;
	requestsPerMinute: number;
	pass: (passage: Passage) => void;
	fail: (error: Error) => void;
}
