import type { Class } from './history';
import type { PromiseName } from './promises';

/** The classes of histories that happen in the tests. */
export const enabled: Record<Class, boolean> = {
	retryOnFail: true,
	retryOnFailWithChangingInput: true,
	retryOnFailThatStops: true,
	retryOnFailAfterWaiting: true,
	retryOnFailAfterUnknownCreation: true,
	severalFailuresThatStop: true,
	proxyPagesAfterCreation: true,
	// Off: the gateway's own 500 may be repeated (§7.6), so the gateway must not charge for it.
	textErrorsAfterCharge: false,
	drippedBodies: true,
	changingInput: true,
	slowTasks: true,
	inputFiles: true,
	catalogueFails: true,
	uploadFails: true,
	fileHostFails: true,
	pollsFail: true,
	cancel: true,
	limits: true,
	loops: true,
	rateLimit: true,
	loopsOfSuspendedTasks: true,
	severalAccounts: true,
	retriedExecutions: true,
	repeatedToolCalls: true,
	forgedCallbacks: true,
};

/** The promises that the tests check. */
export const kept: Record<PromiseName, boolean> = {
	'a run ends in time': true,
	'an order is charged once': true,
	'an item is paid by its own account': true,
	'a task that the node knows is named': true,
	'an unknown outcome is told': true,
	'an unknown outcome is told after a cancel': true,
	'nothing is sent to the gateway after a cancel': true,
	'each item has its own output': true,
	'what is retryable was not charged': true,
	'what is retryable has no task': true,
	'the key stays with the gateway': true,
	'the cost shown is what was charged': true,
	'the execution costs at most its limit': true,
};
