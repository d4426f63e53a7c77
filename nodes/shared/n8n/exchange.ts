import { sleep } from 'n8n-workflow';

import { abortable } from '../gateway/client/abort';
import { TimeLimitError, withinLimits, type TimeLimits } from '../gateway/client/limits';
import { asError, StoppedError } from '../gateway/errors/errors';
import type { RequestKind } from '../gateway/errors/errors';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { problemError } from '../gateway/errors/fromResponse';

/** What an exchange depends on. */
export interface ExchangeSettings {
	kind: RequestKind;
	limits: TimeLimits;
	/** The execution is cancelled. */
	cancel: AbortSignal | undefined;
	/** Nobody waits for the response. */
	unwanted: AbortSignal | undefined;
}

/** The connection of an exchange. */
export interface Connection {
	/** For n8n's HTTP client: closes the connection, also while the body of the response arrives. */
	signal: AbortSignal;
	close(): void;
	/** Data was sent. */
	touch(): void;
}

/**
 * Sends a request and reads its response, or the beginning of it. Closes the connection when its time is over, or when a
 * signal is aborted.
 *
 * @throws {ApiError} when a limit is exceeded, and for network errors
 * @throws {StoppedError} when a signal is aborted
 */
export async function exchange<T>(
	{ kind, limits, cancel, unwanted }: ExchangeSettings,
	work: (connection: Connection) => Promise<T>,
): Promise<T> {
	const own = new AbortController();
	const signal = AbortSignal.any([own.signal, cancel, unwanted].filter((one) => one !== undefined));
	const close = () => own.abort();
	try {
		return await withinLimits(limits, { now: () => Date.now(), sleep }, async (touch) => {
			return await abortable(signal, async () => await work({ signal, close, touch }));
		});
	} catch (error) {
		close();
		const reason = cancel?.aborted ? 'cancelled' : unwanted?.aborted ? 'not waited for' : undefined;
		if (reason) throw asError(new StoppedError(reason, 'unknown'));
		if (error instanceof TimeLimitError) throw problemError('timeout', kind);
		throw errorFromThrown(error, kind) ?? asError(error);
	}
}
