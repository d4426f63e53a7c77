import nock from 'nock';

/**
 * Answers the requests of a test file with nock: none leaves the process, and no answer outlives its test. Files that
 * test on real sockets call `nock.restore()` instead.
 */
export function useNock(): void {
	beforeAll(() => nock.disableNetConnect());
	afterEach(() => nock.cleanAll());
	afterAll(() => nock.restore());
}
