import { sleep } from 'n8n-workflow';

import { problemError } from '../gateway/errors/fromResponse';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { asError, StoppedError } from '../gateway/errors/errors';
import type { RequestKind } from '../gateway/errors/errors';
import type { ByteStream } from '../gateway/client/transport';
import { Watchdog, type StreamLimits } from '../gateway/client/watchdog';

/** Signals that end an exchange early. */
export interface ExchangeSignals {
	/** The execution is cancelled. */
	cancel?: AbortSignal | undefined;
	/** Nobody waits for the response. */
	request?: AbortSignal | undefined;
}

/** One request and its response. Ends its connection when its time is over, or when a signal is aborted. */
export class Exchange {
	private readonly controller = new AbortController();
	private readonly sources: AbortSignal[];
	private readonly onAbort = () => this.controller.abort();
	private watchdog: Watchdog | undefined;

	constructor(private readonly signals: ExchangeSignals) {
		this.sources = [signals.cancel, signals.request].filter((signal) => signal !== undefined);
		for (const source of this.sources) {
			if (source.aborted) this.onAbort();
			source.addEventListener('abort', this.onAbort, { once: true });
		}
	}

	/** For n8n's HTTP client: closes the connection, also while the body of the response arrives. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/**
	 * Does a part of the exchange. Afterwards, {@link end} or {@link endWith} is to be called.
	 *
	 * @throws {ApiError} when a limit is exceeded, and for network errors
	 * @throws {StoppedError} when a signal is aborted
	 */
	async within<T>(limits: StreamLimits, kind: RequestKind, work: () => Promise<T>): Promise<T> {
		const watchdog = new Watchdog(limits, { now: () => Date.now(), sleep });
		this.watchdog = watchdog;
		const expired = new Error('The time of the exchange is over');
		const late = async (): Promise<never> => {
			await watchdog.watch();
			throw expired;
		};
		try {
			return await Promise.race([work(), this.aborted(), late()]);
		} catch (error) {
			this.abort();
			if (watchdog.expired) throw problemError('timeout', kind);
			throw this.stopped() ?? errorFromThrown(error, kind) ?? asError(error);
		} finally {
			watchdog.stop();
		}
	}

	/** Data was sent or received. */
	touch(): void {
		this.watchdog?.touch();
	}

	/** Ends with the stream of its response; destroying the stream closes the connection at once. */
	endWith<Stream extends ByteStream & { once?: (event: 'close', listener: () => void) => unknown }>(
		stream: Stream,
	): Stream {
		const destroy = stream.destroy.bind(stream);
		stream.destroy = (error) => {
			const destroyed = destroy(error);
			this.abort();
			return destroyed;
		};
		stream.once?.('close', () => this.end());
		return stream;
	}

	/** Removes its listeners from the signals, which may outlive it. */
	end(): void {
		for (const source of this.sources) source.removeEventListener('abort', this.onAbort);
	}

	private abort(): void {
		this.end();
		this.controller.abort();
	}

	private stopped(): StoppedError | undefined {
		const { cancel, request } = this.signals;
		if (cancel?.aborted) return new StoppedError('cancelled', 'unknown');
		return request?.aborted ? new StoppedError('not waited for', 'unknown') : undefined;
	}

	private async aborted(): Promise<never> {
		return await new Promise((_, reject) => {
			const onAbort = () => reject(new Error('aborted'));
			if (this.signal.aborted) onAbort();
			this.signal.addEventListener('abort', onAbort, { once: true });
		});
	}
}
