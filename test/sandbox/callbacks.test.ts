/** Completion callbacks (§6.4). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTask, endOf, useGateway, waitFor } from './harness';

const gateway = useGateway();

describe('callbacks', () => {
	let receiver: Server;
	let received: string[] = [];
	let callBackUrl = '';
	beforeAll(async () => {
		receiver = createServer((request, response) => {
			let text = '';
			request.on('data', (chunk: Buffer) => (text += chunk.toString()));
			request.on('end', () => {
				received.push(text);
				response.end();
			});
		});
		await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
		callBackUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
	});
	beforeEach(() => (received = []));
	afterAll(() => receiver.close());

	const create = async () =>
		await createTask(gateway(), { model: 'voxa/speech-1', input: { text: 'hi' }, callBackUrl });

	it('contain the task when it has ended', async () => {
		const taskId = await create();
		const [record] = await waitFor(() => {
			const sent = gateway().control.callbacks();
			return sent[0]?.status === 200 && sent;
		});
		expect(record).toMatchObject({ taskId, status: 200, forged: false });
		expect(JSON.parse(received[0] ?? '')).toMatchObject({ data: { taskId, state: 'success' } });
	});

	it('can be suppressed, and sent later', async () => {
		gateway().control.configure({ callbacks: { mode: 'off' } });
		const taskId = await create();
		await endOf(gateway(), taskId);
		expect(gateway().control.callbacks()).toStrictEqual([]);
		await gateway().control.repeatCallback(taskId);
		expect(received).toHaveLength(1);
	});

	it('can come several times, and be forged', async () => {
		gateway().control.configure({ callbacks: { copies: 3 } });
		await create();
		await waitFor(() => received.length === 3);
		await gateway().control.forgeCallback({ url: callBackUrl, rawBody: 'not JSON' });
		expect(received[3]).toBe('not JSON');
	});
});
