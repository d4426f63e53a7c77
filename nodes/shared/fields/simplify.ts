import { flag } from '../params/kinds';

export const simplify = flag({
	displayName: 'Simplify',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
});
