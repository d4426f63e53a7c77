import type { Registry } from '../../shared/run/operation';
import { deleteOperation } from './file/delete';
import { download } from './file/download';
import { get } from './file/get';
import { getMany } from './file/getMany';
import { upload } from './file/upload';

export const registry = {
	file: { displayName: 'File', operations: { upload, delete: deleteOperation, download, get, getMany } },
} satisfies Registry;
