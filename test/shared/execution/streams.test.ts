import { Readable } from 'node:stream';

import { guarded } from '../../../nodes/shared/execution/streams';

it('a stream that nobody listens to may break', async () => {
	const stream = new Readable({ read: () => undefined });
	expect(guarded(stream)).toBe(stream);
	const isClosed = new Promise((resolve) => stream.once('close', resolve));
	stream.destroy(new Error('broken'));
	await isClosed;
	expect(stream.errored?.message).toBe('broken');
});

it('whoever reads a stream that breaks gets its error', async () => {
	const stream = guarded(new Readable({ read: () => undefined }));
	const reading = stream.toArray();
	stream.destroy(new Error('broken'));
	await expect(reading).rejects.toThrow('broken');
});

it('what is no stream of Node’s is left as it is', () => {
	const body = { destroy: () => undefined };
	expect(guarded(body)).toBe(body);
});
