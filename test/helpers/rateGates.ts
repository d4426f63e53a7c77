import { rateGates } from '../../nodes/shared/n8n/client';
import { testGate } from './client';

/** Gives each test of a file rate gates of its own: those of a process remember the limits of earlier tests. */
export function useFreshRateGates(): void {
	beforeEach(() => freshRateGates());
}

/** Replaces the rate gates of the process until the end of the test file. */
export function freshRateGates(): void {
	const gates = new Map<string, ReturnType<typeof testGate>>();
	jest.spyOn(rateGates, 'of').mockImplementation((...account) => {
		const id = JSON.stringify(account);
		const gate = gates.get(id) ?? testGate();
		gates.set(id, gate);
		return gate;
	});
}
