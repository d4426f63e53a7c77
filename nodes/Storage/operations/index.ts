import { Registry } from '../../shared/run/registry';
import { deleteOperation } from './file/delete';
import { download } from './file/download';
import { get } from './file/get';
import { getMany } from './file/getMany';
import { upload } from './file/upload';

export const registry = new Registry({
	file: { displayName: 'File', operations: { upload, delete: deleteOperation, download, get, getMany } },
});
