import type { TextModel } from '../../../nodes/shared/gateway/endpoints/models';
import { errorFromResponse } from '../../../nodes/shared/gateway/errors/fromResponse';
import { ApiError } from '../../../nodes/shared/gateway/errors/errors';
import { similarIds, withModelHint } from '../../../nodes/shared/gateway/text/unknownModel';

describe('ids that look alike', () => {
	it.each<[string, string, string[], string[]]>([
		['a slip of the pen', 'gpt-5-mni', ['claude-sonnet', 'gpt-5-mini'], ['gpt-5-mini']],
		['other letter cases', 'GPT-5-MINI', ['gpt-5-mini', 'Gpt-5-Mini'], ['gpt-5-mini', 'Gpt-5-Mini']],
		[
			'the best first',
			'model-abc',
			['model-xyz', 'model-abd', 'model-abc-1'],
			['model-abc-1', 'model-abd', 'model-xyz'],
		],
		['three of them at most', 'abcd', ['abcd1', 'abcd2', 'abcd3', 'abcd4'], ['abcd1', 'abcd2', 'abcd3']],
		['none that has too little in common', 'gpt-5', ['voxa', 'qwerty'], []],
		['none for a single letter, which has no pairs', 'a', ['a', 'b', ''], []],
		['none where there are none', 'gpt', [], []],
	])('%s', (_, id, ids, close) => expect(similarIds(id, ids)).toStrictEqual(close));

	it('count a pair of letters as often as both have it', () => {
		// One of the four pairs of "aaaaa" is shared: 2 · 1 ÷ (4 + 1), but 2 · 1 ÷ (5 + 1) is too little.
		expect(similarIds('aaaaa', ['aa'])).toStrictEqual(['aa']);
		expect(similarIds('aaaaaa', ['aa'])).toStrictEqual([]);
		expect(similarIds('aa', ['aaaaaa'])).toStrictEqual([]);
	});

	it('have 35 % in common at least', () => {
		// 7 of 20 pairs each, then 6 of 20.
		const wanted = 'abcdefghijklmnopqrstu';
		expect(similarIds(wanted, ['abcdefgh1234567890123'])).toStrictEqual(['abcdefgh1234567890123']);
		expect(similarIds(wanted, ['abcdefg12345678901234'])).toStrictEqual([]);
	});

	it('are compared by their first 120 characters', () => {
		const same = 'ab'.repeat(60);
		expect(similarIds(same + 'x'.repeat(900), [same + 'y'.repeat(900)])).toHaveLength(1);
		expect(similarIds('x'.repeat(120) + same, ['y'.repeat(120) + same])).toStrictEqual([]);
	});
});

describe('the error of a call that was refused', () => {
	const refused = (status: number) =>
		errorFromResponse({ group: 'text', status, body: '', now: 0, secrets: [] });
	const catalogue = (...ids: string[]) => {
		const asked = { times: 0 };
		const known = async () => {
			asked.times += 1;
			return await Promise.resolve(ids.map((id): TextModel => ({ id, record: {} })));
		};
		return { asked, known };
	};
	const hint = async (ids: string[], model: string) => {
		const failure = refused(404);
		const advised = await withModelHint(catalogue(...ids).known, model, failure);
		const { details } = advised instanceof ApiError ? advised : refused(0);
		const { description, ...others } = failure.details;
		expect(details).toStrictEqual({ ...others, description: expect.stringContaining(description) as string });
		return details.description.slice(description.length);
	};

	it('names the models that could have been meant', async () => {
		expect(await hint(['gpt-5-mini', 'gpt-5-maxi', 'voxa'], 'gpt-5-mni')).toBe(
			' Close to "gpt-5-mni" are: gpt-5-mini, gpt-5-maxi.',
		);
	});

	it('says so where the catalogue has nothing like it', async () => {
		expect(await hint(['voxa'], 'gpt-5')).toBe(' The catalogue has no "gpt-5".');
	});

	it('says nothing where the catalogue is not known, or has the model', async () => {
		expect(await hint([], 'gpt-5')).toBe('');
		expect(await hint(['gpt-5', 'gpt-5-mini'], 'gpt-5')).toBe('');
	});

	it.each([400, 403, 422, 500])(
		'stays as it is with status %i, and no catalogue is fetched',
		async (status) => {
			const { asked, known } = catalogue('gpt-5-mini');
			const failure = refused(status);
			expect(await withModelHint(known, 'gpt-5-mni', failure)).toBe(failure);
			expect(asked.times).toBe(0);
		},
	);

	it('stays as it is when it is not the gateway’s', async () => {
		const { asked, known } = catalogue('gpt-5-mini');
		const error = new TypeError('a bug');
		expect(await withModelHint(known, 'gpt-5-mni', error)).toBe(error);
		expect(await withModelHint(known, 'gpt-5-mni', 'thrown text')).toStrictEqual(new Error('thrown text'));
		expect(asked.times).toBe(0);
	});
});
