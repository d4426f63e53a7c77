import { flag } from '../params/kinds';

/** Returns selected fields, or the response as received. */
export const simplify = flag({
	displayName: 'Simplify',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});
