/** Stored files: their records in memory, their bytes in a temporary directory (§2.7, §3.4). */
import { randomUUID } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { patternStream } from '../files/pattern';
import { extensionOf } from './fileTypes';

export type StoragePolicy = 'TEMP_UPLOAD' | 'TEMP_GENERATION' | 'PERMANENT';

export interface StoredFile {
	id: string;
	account: string;
	filename: string;
	mimeType: string;
	size: number;
	source: 'USER_UPLOAD' | 'AI_GENERATION';
	storagePolicy: StoragePolicy;
	externalUserId: string | null;
	/** Unix milliseconds. */
	createdAt: number;
	updatedAt: number;
	expiresAt: number | null;
	/** Null, or how it was deleted: on its own, or with the task of this id (§3.2). */
	deleted: null | { withTask: string | null };
	/** False: the bytes are generated while they are sent. */
	onDisk: boolean;
}

export type NewFile = Pick<StoredFile, 'account' | 'filename' | 'mimeType' | 'source' | 'storagePolicy'> & {
	externalUserId?: string | null;
};

/** §2.7, in milliseconds. */
const retention: Record<StoragePolicy, number | null> = {
	TEMP_UPLOAD: 24 * 3_600_000,
	TEMP_GENERATION: 7 * 24 * 3_600_000,
	PERMANENT: null,
};

export class FileStore {
	private readonly records = new Map<string, StoredFile>();
	private readonly directory = mkdtempSync(join(tmpdir(), 'sandbox-gateway-'));
	/** Origin of the file host; known once it listens. */
	origin = '';

	/** A path for an upload that is not validated yet. */
	stagingPath(): string {
		return join(this.directory, `staging-${randomUUID()}`);
	}

	/** Takes over a file from its staging path. */
	async adopt(path: string, size: number, file: NewFile): Promise<StoredFile> {
		const record = this.record(file, size, true);
		await rename(path, this.path(record));
		this.records.set(record.id, record);
		return record;
	}

	async addBytes(bytes: Buffer, file: NewFile): Promise<StoredFile> {
		const record = this.record(file, bytes.length, true);
		await writeFile(this.path(record), bytes);
		this.records.set(record.id, record);
		return record;
	}

	/** A file of this size whose bytes are not stored. */
	addPattern(size: number, file: NewFile): StoredFile {
		const record = this.record(file, size, false);
		this.records.set(record.id, record);
		return record;
	}

	/** The file, unless it is missing, deleted or past its retention. */
	find(id: string): StoredFile | undefined {
		const record = this.records.get(id);
		if (!record || record.deleted) return undefined;
		return record.expiresAt !== null && record.expiresAt <= Date.now() ? undefined : record;
	}

	list(account: string): StoredFile[] {
		return [...this.records.values()].filter((record) => record.account === account && this.find(record.id));
	}

	read(record: StoredFile): Readable {
		return record.onDisk ? createReadStream(this.path(record)) : patternStream(record.size);
	}

	url(record: StoredFile): string {
		return `${this.origin}/files/${record.id}${extensionOf(record.mimeType)}`;
	}

	/** The stored file behind a URL of this file host. */
	byUrl(url: string): StoredFile | undefined {
		if (!url.startsWith(`${this.origin}/files/`)) return undefined;
		return this.find(idOf(url.slice(`${this.origin}/files/`.length)));
	}

	markDeleted(record: StoredFile, withTask: string | null): void {
		record.deleted ??= { withTask };
		record.updatedAt = Date.now();
	}

	/** §3.2: restores files that were deleted with the task; others stay deleted. */
	restoreWith(taskId: string): void {
		for (const record of this.records.values()) {
			if (record.deleted?.withTask === taskId) record.deleted = null;
		}
	}

	async clear(): Promise<void> {
		const paths = [...this.records.values()]
			.filter((record) => record.onDisk)
			.map((record) => this.path(record));
		this.records.clear();
		await Promise.all(paths.map((path) => rm(path, { force: true })));
	}

	close(): void {
		rmSync(this.directory, { recursive: true, force: true });
	}

	private path(record: StoredFile): string {
		return join(this.directory, record.id);
	}

	private record(file: NewFile, size: number, onDisk: boolean): StoredFile {
		const now = Date.now();
		const keep = retention[file.storagePolicy];
		return {
			...file,
			id: randomUUID(),
			size,
			externalUserId: file.externalUserId ?? null,
			createdAt: now,
			updatedAt: now,
			expiresAt: keep === null ? null : now + keep,
			deleted: null,
			onDisk,
		};
	}
}

/** The id in the last part of a file URL. */
export function idOf(name: string): string {
	return name.split('.')[0] ?? '';
}
