import type { TextModel } from '../../../nodes/shared/gateway/endpoints/models';
import { errorFromResponse } from '../../../nodes/shared/gateway/errors/fromResponse';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { similarIds, withModelHint } from '../../../nodes/shared/gateway/text/unknownModel';

describe('similar model IDs', () => {
	it.each<[string, string, string[], string[]]>([
		['a typing error', 'gpt-5-mni', ['claude-sonnet', 'gpt-5-mini'], ['gpt-5-mini']],
		['other letter cases', 'GPT-5-MINI', ['gpt-5-mini', 'Gpt-5-Mini'], ['gpt-5-mini', 'Gpt-5-Mini']],
		[
			'the most similar first',
			'acme/abc-1',
			['acme/x', 'acme/abc-2', 'acme/y-1'],
			['acme/abc-2', 'acme/y-1'],
		],
		[
			'three of them at most',
			'acme',
			['acme-1', 'acme-2', 'acme-3', 'acme-4'],
			['acme-1', 'acme-2', 'acme-3'],
		],
		['an ID with too few words in common is left out', 'gpt-5-mini', ['voxa', 'gpt-4'], []],
		['an empty catalogue has no similar IDs', 'gpt', [], []],
	])('%s', (_, id, ids, close) => expect(similarIds(id, ids)).toStrictEqual(close));
});

describe('the error of a request with an unknown model', () => {
	const errorWithStatus = (status: number) =>
		errorFromResponse({ group: 'text', kind: 'charge', status, body: '', now: 0, secrets: [] });
	const catalogue = (...ids: string[]) => {
		const requests = { times: 0 };
		const known = async () => {
			requests.times += 1;
			return await Promise.resolve(ids.map((id): TextModel => ({ id, record: {} })));
		};
		return { requests, known };
	};
	const hint = async (ids: string[], model: string) => {
		const error = errorWithStatus(404);
		const withHint = await withModelHint(catalogue(...ids).known, model, error);
		const { details } = withHint instanceof ApiError ? withHint : errorWithStatus(0);
		const { description, ...others } = error.details;
		expect(details).toStrictEqual({ ...others, description: expect.stringContaining(description) as string });
		return details.description.slice(description.length);
	};

	it('names similar models', async () => {
		expect(await hint(['gpt-5-mini', 'gpt-5-maxi', 'voxa'], 'gpt-5-mni')).toBe(
			' The catalogue has no "gpt-5-mni". Similar models: gpt-5-mini, gpt-5-maxi.',
		);
	});

	it('says that the catalogue has no similar model', async () => {
		expect(await hint(['voxa'], 'gpt-5')).toBe(' The catalogue has no "gpt-5".');
	});

	it('is unchanged where the catalogue is not known, or has the model', async () => {
		expect(await hint([], 'gpt-5')).toBe('');
		expect(await hint(['gpt-5', 'gpt-5-mini'], 'gpt-5')).toBe('');
	});

	it.each([400, 403, 422, 500])(
		'is unchanged with status %i, and no catalogue is requested',
		async (status) => {
			const { requests, known } = catalogue('gpt-5-mini');
			const error = errorWithStatus(status);
			expect(await withModelHint(known, 'gpt-5-mni', error)).toBe(error);
			expect(requests.times).toBe(0);
		},
	);

	it('is unchanged when it is not the gateway’s', async () => {
		const { requests, known } = catalogue('gpt-5-mini');
		const error = new TypeError('a bug');
		expect(await withModelHint(known, 'gpt-5-mni', error)).toBe(error);
		expect(await withModelHint(known, 'gpt-5-mni', 'thrown text')).toStrictEqual(new Error('thrown text'));
		expect(requests.times).toBe(0);
	});

	describe('that continues an earlier response', () => {
		const notFound = errorFromResponse({
			group: 'text',
			kind: 'charge',
			status: 404,
			body: '{"error":{"code":"model_not_found","message":"Response r1 does not exist"}}',
			now: 0,
			secrets: [],
		});
		const continued = async (...ids: string[]) => {
			const error = await withModelHint(catalogue(...ids).known, 'gpt-5', notFound);
			return error instanceof ApiError ? error.details : undefined;
		};

		it('has the words of the gateway where the catalogue has the model', async () =>
			expect(await continued('gpt-5')).toMatchObject({
				message: 'Response r1 does not exist',
				code: 'model_not_found',
			}));

		it('is about the model where the catalogue does not have it', async () =>
			expect((await continued('gpt-6'))?.message).toBe('The gateway does not know this model'));
	});
});
