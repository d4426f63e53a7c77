import { ApiError } from '../../../../nodes/shared/gateway/errors/errors';
import { limitBody, virtualGateway } from '../../../helpers/virtualGateway';

const text = { group: 'text', method: 'POST', path: '/chat/completions', json: {} } as const;

// 22 requests in 10 minutes when the refusals take 100 ms.
it.each([100, 2_500, 8_000])(
	'the learned pause grows, also when a refusal takes %d ms',
	async (latencyMs) => {
		const { clock, client, log } = virtualGateway(() => ({ status: 429, body: limitBody(), latencyMs }));
		const sending = Array.from(
			{ length: 8 },
			async () =>
				await client({ rateLimitWaitMs: 600_000 })
					.json(text)
					.catch(() => undefined),
		);
		await clock.run(Promise.all(sending));
		expect(log.length).toBeLessThan(100);
	},
);

it('a 404 of the server that an upload reads from does not end the pause of the account', async () => {
	const { clock, client, log } = virtualGateway(() => ({ status: 429, body: limitBody() }));
	const notFound = new ApiError({
		message: '',
		description: '',
		delivery: 'responded',
		status: 404,
		retryable: false,
	});
	const upload = async () =>
		await client()
			.json({
				group: 'storage',
				method: 'POST',
				path: '/storage/upload',
				openBody: async () => await Promise.reject(notFound),
			})
			.catch(() => undefined);
	const run = async () => {
		const sending = client({ rateLimitWaitMs: 60_000 })
			.json(text)
			.catch(() => undefined);
		for (let n = 0; n < 60; n += 1) {
			await clock.sleep(500);
			await upload();
		}
		await sending;
	};
	await clock.run(run());
	// At 0, 1, 3, 7, 15, 31 s, as without the uploads.
	expect(log.length).toBeLessThanOrEqual(7);
});
