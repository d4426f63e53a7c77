import { PassThrough } from 'node:stream';

import type { IExecuteFunctions } from 'n8n-workflow';

import { n8nTransport } from '../../../nodes/shared/execution/transport';
import type { Exchange } from '../../../nodes/shared/gateway/request';

const exchange: Exchange = {
	method: 'GET',
	url: 'https://files.test/a',
	headers: {},
	timeoutMs: 1_000,
	authenticated: false,
	answer: 'stream',
	charged: false,
};

/** n8n's functions, whose requests are answered with this body. */
function answering(body: PassThrough): IExecuteFunctions {
	const httpRequest = async () => await Promise.resolve({ statusCode: 200, headers: {}, body });
	return { helpers: { httpRequest } } as unknown as IExecuteFunctions;
}

describe('the stream of an answer', () => {
	it('may break when nobody reads it any more: an error that nobody hears would end n8n', async () => {
		const body = new PassThrough();
		await n8nTransport(answering(body)).stream(exchange);
		expect(() => body.emit('error', new Error('aborted'))).not.toThrow();
	});

	it('breaks for whoever reads it', async () => {
		const body = new PassThrough();
		const answer = await n8nTransport(answering(body)).stream(exchange);
		body.write('1');
		setImmediate(() => body.destroy(new Error('aborted')));
		const read = async () => {
			const portions: Uint8Array[] = [];
			for await (const portion of answer.body) portions.push(portion);
			return portions;
		};
		await expect(read()).rejects.toThrow('aborted');
	});
});
