/** The signals that stop a program, with the exit codes that shells expect. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof exitCodes;

/** The result of {@link stopSignals}. */
export interface StopSignals {
	/** Aborted at the first of them. */
	signal: AbortSignal;
	/** The exit code after the first of them. */
	exitCode: () => number | undefined;
	dispose: () => void;
}

/** Handles Ctrl+C, SIGTERM and the closing of the terminal with an orderly end; a second signal does not interrupt it. */
export function stopSignals(): StopSignals {
	const controller = new AbortController();
	let received: StopSignal | undefined;
	const listeners = (Object.keys(exitCodes) as StopSignal[]).map((name) => {
		const listener = (): void => {
			received ??= name;
			controller.abort(new Error('stopped'));
		};
		process.on(name, listener);
		return { name, listener };
	});
	return {
		signal: controller.signal,
		exitCode: () => (received === undefined ? undefined : exitCodes[received]),
		dispose: () => listeners.forEach(({ name, listener }) => process.removeListener(name, listener)),
	};
}
