/** The ways in which a user or a system asks a program to stop, with the exit codes that shells expect. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
type StopSignal = keyof typeof exitCodes;

/** What {@link stopSignals} gives. */
export interface StopSignals {
	/** Aborted at the first of them. */
	signal: AbortSignal;
	/** The exit code once one has come. */
	exitCode: () => number | undefined;
	dispose: () => void;
}

/** Turns Ctrl+C, SIGTERM and the closing of the terminal into an orderly end; a further one does not cut that short. */
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
