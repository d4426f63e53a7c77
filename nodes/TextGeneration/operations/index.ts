import type { Registry } from '../../shared/execution/operation';
import { generate } from './text/generate';

export const registry = {
	text: { displayName: 'Text', operations: { generate } },
} satisfies Registry;
