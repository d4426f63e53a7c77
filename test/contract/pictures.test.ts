import { loadImage } from '@napi-rs/canvas';

import { binaryStorage } from '../helpers/engine';
import { quickTime } from '../helpers/time';
import { useGateway } from './support';

// Pictures, songs and files, with their bytes.

const gateway = useGateway();
quickTime(20);

/** Draws a picture that is not a placeholder. */
const paint = async () => {
	gateway.control.configure({ render: 'full' });
	return await gateway.draw();
};

async function expectPicture(
	binary: Parameters<Awaited<ReturnType<typeof binaryStorage>>['getAsBuffer']>[0] | undefined,
	width: number,
	height: number,
) {
	if (!binary) throw new Error('there is no binary');
	const image = await loadImage(await (await binaryStorage()).getAsBuffer(binary));
	expect([image.width, image.height]).toStrictEqual([width, height]);
}

describe('a connection that fails', () => {
	it('fetches a result again that was cut off', async () => {
		gateway.control.addFault({ match: { host: 'files' }, action: { kind: 'cutBody', afterBytes: 500 } });
		const { items } = await paint();
		await expectPicture(items[0]?.binary?.data, 512, 512);
		expect(gateway.control.requests({ host: 'files' })).toHaveLength(2);
	});
});

describe('media', () => {
	it('returns a picture that can be opened, fetched without a key', async () => {
		const { items } = await paint();
		await expectPicture(items[0]?.binary?.data, 512, 512);
		const [request] = gateway.control.requests({ host: 'files' });
		expect(request?.headers.authorization).toBeUndefined();
		expect(request?.headers['x-api-key']).toBeUndefined();
		expect(JSON.stringify(request)).not.toContain(gateway.apiKey);
	});
});

describe('storage', () => {
	it('stores, returns and deletes a file', async () => {
		const picture = await paint();
		const upload = await gateway.run({
			node: 'storage',
			parameters: { resource: 'file', operation: 'upload', storagePolicy: 'PERMANENT' },
			items: picture.items,
		});
		expect(upload.error).toBeUndefined();
		const fileId = upload.items[0]?.json.id as string;
		expect(upload.items[0]?.json).toMatchObject({
			mimeType: 'image/png',
			storagePolicy: 'PERMANENT',
			expiresAt: null,
		});

		const file = async (operation: string) =>
			await gateway.run({ node: 'storage', parameters: { resource: 'file', operation, fileId } });
		expect((await file('get')).items[0]?.json).toMatchObject({ id: fileId, status: 'active' });
		await expectPicture((await file('download')).items[0]?.binary?.data, 512, 512);
		expect((await file('delete')).items[0]?.json).toStrictEqual({ deleted: true, id: fileId });
		expect((await file('get')).error?.message).toBe('The gateway has no such file');
	});
});
