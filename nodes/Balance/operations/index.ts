import { Registry } from '../../shared/run/registry';
import { get } from './balance/get';

export const registry = new Registry({ balance: { displayName: 'Balance', operations: { get } } });
