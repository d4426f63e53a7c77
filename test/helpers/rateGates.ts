import { rateGates } from '../../nodes/shared/n8n/client';
import { testGate } from './client';

/** Gives each test of a file rate gates of its own: those of a process remember the pauses of earlier tests. */
export function useFreshRateGates(): void {
	beforeEach(() => freshRateGates());
}

/** Replaces the rate gates of the process until the end of the test file. */
export function freshRateGates(): void {
	const gates = new Map<string, ReturnType<typeof testGate>>();
	jest.spyOn(rateGates, 'get').mockImplementation((account) => {
		const gate = gates.get(account) ?? testGate();
		gates.set(account, gate);
		return gate;
	});
}
