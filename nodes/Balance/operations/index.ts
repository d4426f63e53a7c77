import type { Registry } from '../../shared/run/operation';
import { get } from './balance/get';

export const registry = {
	balance: { displayName: 'Balance', operations: { get } },
} satisfies Registry;
