import nock from 'nock';

import { useFreshRateGates } from './rateGates';

/**
 * Mocks the requests of a test file with nock: none leaves the process, and no mock outlives its test. Files that
 * test on real sockets call `nock.restore()` instead.
 */
export function useNock(): void {
	useFreshRateGates();
	beforeAll(() => nock.disableNetConnect());
	afterEach(() => nock.cleanAll());
	afterAll(() => nock.restore());
}
