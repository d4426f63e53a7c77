/** GET …/download (§4.8): one file unchanged, several as an uncompressed ZIP. */
import type { FastifyReply } from 'fastify';
import { ZipFile } from 'yazl';
import { ApiError } from '../errors';
import type { FileStore } from '../storage/store';
import type { MediaTask } from './task';

export function sendDownload(reply: FastifyReply, task: MediaTask, store: FileStore): FastifyReply {
	const files = task.files.filter((file) => store.find(file.id));
	const [first] = files;
	if (!first) throw new ApiError('not_found', 'The task has no saved result');
	if (files.length === 1) {
		return reply
			.type(first.mimeType)
			.header('content-length', first.size)
			.header('content-disposition', attachment(first.filename))
			.send(store.read(first));
	}
	const zip = new ZipFile();
	for (const file of files) {
		zip.addReadStreamLazy(file.filename, { compress: false }, (done) => done(null, store.read(file)));
	}
	zip.end();
	return reply
		.type('application/zip')
		.header('content-disposition', attachment(`task_${task.id}.zip`))
		.send(zip.outputStream);
}

/** The plain name for old clients, the full one for the others (RFC 6266). */
function attachment(filename: string): string {
	const plain = filename.replace(/[^\x20-\x7e]|["\\]/g, '_');
	const full = plain === filename ? '' : `; filename*=UTF-8''${encodeURIComponent(filename)}`;
	return `attachment; filename="${plain}"${full}`;
}
