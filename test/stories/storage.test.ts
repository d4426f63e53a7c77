import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import type { FaultAction, RequestRecord } from '../../sandbox/gateway/gateway';
import { binaryStorage } from '../helpers/engine';
import { passTime } from '../helpers/time';
import { CONTINUE } from '../helpers/values';
import { withFiles } from '../nodes/text/files';
import type { Story, StoryNode } from './execution';
import { useStories } from './support';

// Files that a workflow keeps at the gateway.

const { gateway, execute, disturb, calm } = useStories();

const MB = 1024 * 1024;
const DAY_MS = 86_400_000;

/** Files that differ in name, type and content. */
const FILES = [
	{ fileName: 'Кот «Мурка» у моря.png', mimeType: 'image/png', head: '89504e470d0a1a0a00ff0d0a2d2d' },
	{ fileName: 'my "best" film; v1.5.mp4', mimeType: 'video/mp4', head: '00000018667479706d703432ff' },
	{ fileName: "l'été d'Аня.mp3", mimeType: 'audio/mpeg', head: '49443300fffe0d0a0d0a' },
].map(({ head, ...file }, row) => {
	const content = Buffer.concat([Buffer.from(head, 'hex'), Buffer.alloc(1_000 * (row + 1), `\r\n--${row}`)]);
	return { ...file, content, size: content.length, base64: content.toString('base64') };
});

const withBinaries = async () =>
	await Promise.all(FILES.map(async (file) => await withFiles({ name: 'data', ...file })));
const withBase64: INodeExecutionData[] = FILES.map(({ base64, mimeType }) => ({
	json: { url: `data:${mimeType};base64,${base64}` },
}));
const FROM_BASE64 = { uploadSource: 'base64', base64: '={{ $json.url }}' };

const step = (operation: string, more: object = {}, settings: StoryNode['settings'] = {}): StoryNode => ({
	node: 'storage',
	parameters: { operation, ...more },
	settings,
});
const upload = (more: object = {}, settings: StoryNode['settings'] = {}) => step('upload', more, settings);
/** An operation on the file of the item. */
const withFile = (operation: string, settings: StoryNode['settings'] = {}) =>
	step(operation, { fileId: '={{ $json.id }}' }, settings);

const contentOf = async (file: IBinaryData | undefined) =>
	file && (await (await binaryStorage()).getAsBuffer(file));

/** Name, type and content of the files of items. */
const filesOf = async (items: INodeExecutionData[]) =>
	await Promise.all(
		items.map(async ({ binary: { data } = {} }) => ({
			fileName: data?.fileName,
			mimeType: data?.mimeType,
			base64: (await contentOf(data))?.toString('base64'),
		})),
	);

/** These fields of items. */
const fieldsOf = (items: INodeExecutionData[], ...fields: string[]) =>
	items.map(({ json }) => Object.fromEntries(fields.map((field) => [field, json[field]])));

const uploads = () => gateway.control.requests({ method: 'POST', path: '/storage/upload' });
/** Whether a request uploads this file. */
const isUploadOf =
	(row: number) =>
	({ method, body }: RequestRecord): boolean =>
		method === 'POST' && Math.floor((body.bytes ?? 0) / 1_000) === row + 1;

describe('a workflow uploads, looks up, downloads and deletes its files', () => {
	test.each<[string, () => Promise<INodeExecutionData[]>, object, string[]]>([
		// Quotes arrive as browsers send them.
		['binary fields', withBinaries, {}, FILES.map(({ fileName }) => fileName.replaceAll('"', '%22'))],
		[
			'base64 text',
			async () => await Promise.resolve(withBase64),
			FROM_BASE64,
			['file.png', 'file.mp4', 'file.mp3'],
		],
	])('from %s: names, types and bytes come back, and nothing is paid', async (_, input, source, names) => {
		const options = { externalUserId: 'клиент 7' };
		const kept = upload({ ...source, storagePolicy: 'PERMANENT', options });
		const nodes: Story['nodes'] = [kept, withFile('get'), withFile('download'), withFile('delete')];
		const execution = await execute(nodes, await input());
		expect(execution.error).toBeUndefined();
		const uploaded = execution.items();
		const got = execution.items('Gateway 2');
		const stored = FILES.map(({ mimeType, size }) => ({ mimeType, size, source: 'user_upload' }));
		for (const items of [uploaded, got])
			expect(fieldsOf(items, 'mimeType', 'size', 'source')).toStrictEqual(stored);
		expect(fieldsOf(uploaded, 'storagePolicy', 'expiresAt', 'externalUserId')).toStrictEqual(
			Array(3).fill({ storagePolicy: 'PERMANENT', expiresAt: null, ...options }),
		);
		expect(fieldsOf(got, 'fileName', 'status')).toStrictEqual(
			names.map((fileName) => ({ fileName, status: 'active' })),
		);
		expect(await filesOf(execution.items('Gateway 3'))).toStrictEqual(
			FILES.map(({ mimeType, base64 }, row) => ({ fileName: names[row], mimeType, base64 })),
		);
		expect(execution.items('Gateway 4').map(({ json }) => json)).toStrictEqual(
			uploaded.map(({ json: { id } }) => ({ deleted: true, id })),
		);
		const downloads = gateway.control.requests({ host: 'files' });
		expect([gateway.charges(), execution.sums, uploads().length, downloads.length]).toStrictEqual([
			...[0, undefined, 3, 3],
		]);
		expect(JSON.stringify(downloads)).not.toContain(gateway.apiKey);
	});

	test('from the JSON data, where the workflow keeps its files', async () => {
		const items = (await withBinaries()).map(({ binary }) => ({ json: { _files: { ...binary } } }));
		const execution = await execute(upload(), items, { workflow: { binaryMode: 'combined' } });
		expect(fieldsOf(execution.items(), 'mimeType', 'size')).toStrictEqual(
			FILES.map(({ mimeType, size }) => ({ mimeType, size })),
		);
	});

	test('*Get Many* lists the files that are there, newest first, up to the limit', async () => {
		const once = { executeOnce: true };
		const inOrder = upload({ options: { concurrency: 1 } });
		const list = step('getMany', { returnAll: true }, once);
		const nodes: Story['nodes'] = [inOrder, step('getMany', { limit: 2 }, once), withFile('delete'), list];
		const execution = await execute(nodes, await withBinaries());
		expect(execution.error).toBeUndefined();
		const newest = fieldsOf(execution.items(), 'id', 'size').reverse();
		expect(fieldsOf(execution.items('Gateway 2'), 'id', 'size')).toStrictEqual(newest.slice(0, 2));
		expect(fieldsOf(execution.items('Gateway 4'), 'id', 'size')).toStrictEqual(newest.slice(2));
	});
});

describe('a file that is gone', () => {
	test.each<[string, Story['nodes'], number]>([
		['was deleted', [upload(), withFile('delete')], 0],
		['was temporary, and a day has passed', [upload()], DAY_MS],
	])('%s: *Download*, *Get* and *Delete* say so, and the other items go on', async (_, nodes, ms) => {
		const [gone] = (await execute(nodes, (await withBinaries()).slice(0, 1))).items();
		await passTime(ms);
		const [kept] = (await execute(upload(), (await withBinaries()).slice(1))).items();
		const items = [gone, kept].flatMap((item) => item ?? []);
		for (const operation of ['get', 'download', 'delete']) {
			const execution = await execute(withFile(operation, CONTINUE), items);
			const [first, second] = execution.items().map(({ json }) => json);
			expect(first?.error).toMatchObject({
				message: 'The gateway has no such file',
				description: expect.stringContaining('It was deleted, has expired') as string,
				httpCode: '404',
				retryable: false,
			});
			expect(second?.id).toBe(kept?.json.id);
		}
		expect(gateway.charges()).toBe(0);
	});
});

describe('the second of three uploads', () => {
	/** Its file has 105 MB. */
	async function withLarge() {
		const items = await withBinaries();
		const large = items[1]?.binary?.data;
		const service = await binaryStorage();
		const getMetadata = service.getMetadata.bind(service);
		jest.spyOn(service, 'getMetadata').mockImplementation(async (id) => {
			const metadata = await getMetadata(id);
			return id === large?.id ? { ...metadata, fileSize: 105 * MB } : metadata;
		});
		if (large) large.bytes = 105 * MB;
		return items;
	}
	afterEach(() => jest.restoreAllMocks());

	const userIds = ['a', 'ж'.repeat(129), 'c'].map((user) => ({ json: { user } }));
	const BASE64 = { uploadSource: 'base64', base64: "={{ 'A'.repeat($json.length) }}" };
	const TOO_LARGE = 'The file is too large to upload: 105.0 MB';

	test.each<[string, object, () => Promise<INodeExecutionData[]> | INodeExecutionData[], string]>([
		['binary file of 105 MB', {}, withLarge, TOO_LARGE],
		[
			'base64 text of 105 MB',
			BASE64,
			() => [8, 140 * MB, 12].map((length) => ({ json: { length } })),
			TOO_LARGE,
		],
		[
			'user ID of 129 characters',
			{ uploadSource: 'base64', base64: 'QUJD', options: { externalUserId: '={{ $json.user }}' } },
			() => userIds,
			"The option 'External User ID' has a value that is not allowed",
		],
	])('has a %s: nothing is sent', async (_, more, items, message) => {
		const { error } = await execute(upload(more), await items());
		expect(error?.message).toContain(message);
		expect(uploads()).toStrictEqual([]);
	});

	test('has a file of a kind that the gateway does not store: it is an error item between the others', async () => {
		const [first, , third] = await withBinaries();
		const csv = { name: 'data', content: Buffer.from('a,b'), mimeType: 'text/csv', fileName: 'a.csv' };
		const items = [first, await withFiles(csv), third].flatMap((item) => item ?? []);
		const execution = await execute(upload({}, CONTINUE), items);
		expect(fieldsOf(execution.items(), 'size')).toStrictEqual([
			{ size: FILES[0]?.size },
			{ size: undefined },
			{ size: FILES[2]?.size },
		]);
		expect(execution.errors()).toMatchObject([
			{
				message: 'The gateway did not accept the file',
				description: expect.stringMatching(/It stores images, videos and audio.*text\/csv/) as string,
				httpCode: '400',
				retryable: false,
			},
		]);
	});

	test.each<[string, FaultAction, RegExp, number]>([
		['is refused', { kind: 'error', code: 'service_unavailable' }, /not available.*tried 4 times/s, 4],
		['has its response lost', { kind: 'loseResponse' }, /connection broke/, 1],
	])('%s: a retry uploads it alone, and keeps the other files', async (_, action, words, tries) => {
		disturb(isUploadOf(1), action, () => uploads().length >= 3);
		const failed = await execute(upload(), await withBinaries());
		expect(failed.errorText).toMatch(words);
		const before = uploads();
		expect(before.filter(isUploadOf(1))).toHaveLength(tries);
		calm();
		const retried = await failed.retry();
		expect(retried.error).toBeUndefined();
		expect(uploads().slice(before.length).map(isUploadOf(1))).toStrictEqual([true]);
		expect(fieldsOf(retried.items(), 'mimeType', 'size')).toStrictEqual(
			FILES.map(({ mimeType, size }) => ({ mimeType, size })),
		);
		expect(gateway.charges()).toBe(0);
	});
});
