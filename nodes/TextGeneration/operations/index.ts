import type { Registry } from '../../shared/run/operation';
import { get } from './model/get';
import { getMany } from './model/getMany';
import { generate } from './text/generate';

export const registry = {
	text: { displayName: 'Text', operations: { generate } },
	model: { displayName: 'Model', operations: { getMany, get } },
} satisfies Registry;
