import nock from 'nock';

import { useFreshRateGates } from './rateGates';

// Loading nock activates it, also for the tests of the file that use real sockets.
nock.restore();

/** Mocks the requests of a group of tests with nock: none leaves the process, and no mock outlives its test. */
export function useNock(): void {
	useFreshRateGates();
	beforeAll(() => {
		if (!nock.isActive()) nock.activate();
		nock.disableNetConnect();
	});
	afterEach(() => nock.cleanAll());
	afterAll(() => {
		nock.enableNetConnect();
		nock.restore();
	});
}
