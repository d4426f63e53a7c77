import { Registry } from '../../shared/run/registry';
import { get } from './model/get';
import { getMany } from './model/getMany';
import { generate } from './text/generate';

export const registry = new Registry({
	text: { displayName: 'Text', operations: { generate } },
	model: { displayName: 'Model', operations: { getMany, get } },
});
