import type { Registry } from '../../shared/execution/operation';
import { create } from './task/create';
import { createAndWait } from './task/createAndWait';
import { download } from './task/download';
import { get } from './task/get';

export const registry = {
	task: { displayName: 'Task', operations: { createAndWait, create, download, get } },
} satisfies Registry;
