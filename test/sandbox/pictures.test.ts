import { checkPng } from '../../sandbox/demo/png';
import { placeholderPng } from '../../sandbox/gateway/media/render/placeholder';
import { renderResults } from '../../sandbox/gateway/media/render/render';
import { FileStore } from '../../sandbox/gateway/storage/store';

const files = new FileStore();
afterAll(() => files.close());

/** The pictures of a task. */
async function draw(detail: 'full' | 'placeholder', input: object): Promise<Buffer[]> {
	const results = await renderResults('image', { prompt: 'a lamp', ...input }, detail, files);
	return results.map(({ bytes }) => bytes);
}

const different = (pictures: Buffer[]): number =>
	new Set(pictures.map((bytes) => bytes.toString('hex'))).size;

it.each([
	['full', { width: 512, height: 768 }],
	['placeholder', { width: 32, height: 32 }],
] as const)('render: %s: the pictures of a task can be decoded, and differ', async (detail, size) => {
	const pictures = await draw(detail, { size: '512x768', num_images: 3 });
	expect(await Promise.all(pictures.map(checkPng))).toStrictEqual([size, size, size]);
	expect(different(pictures)).toBe(3);
});

it('an edited picture shows the picture that was sent', async () => {
	const stored = await Promise.all(
		[0x112233, 0xddeeff].map(
			async (colour) =>
				await files.addBytes(placeholderPng(colour), {
					account: 'main',
					filename: 'room.png',
					mimeType: 'image/png',
					source: 'USER_UPLOAD',
					storagePolicy: 'TEMP_UPLOAD',
				}),
		),
	);
	const size = '64x64';
	const [generated, ...edited] = await Promise.all([
		draw('full', { size }),
		...stored.map(async (file) => await draw('full', { size, image_urls: [files.url(file)] })),
	]);
	expect(different([generated, ...edited].flat())).toBe(3);
});
