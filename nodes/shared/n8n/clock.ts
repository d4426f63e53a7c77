import { sleep } from 'n8n-workflow';

import type { ClientDependencies } from '../gateway/client/client';

/** Time and chance as they are; tests of the gateway's code pass in their own. */
export const clock: Pick<ClientDependencies, 'sleep' | 'now' | 'random'> = {
	sleep,
	now: () => Date.now(),
	random: () => Math.random(),
};
