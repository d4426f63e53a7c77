import type { TextModel } from '../../../nodes/shared/gateway/endpoints/models';
import { errorFromResponse } from '../../../nodes/shared/gateway/errors/fromResponse';
import { withModelHint } from '../../../nodes/shared/gateway/text/unknownModel';

const catalogue = (...ids: string[]) =>
	jest.fn(async () => await Promise.resolve(ids.map((id): TextModel => ({ id, record: {} }))));
const errorWith = (status: number, message?: string) => {
	const body = JSON.stringify({ error: { code: 'model_not_found', message } });
	return errorFromResponse({ group: 'text', kind: 'charge', status, body, now: 0, secrets: [] });
};

it('an unknown response of a model in the catalogue has the words of the gateway', async () => {
	const error = errorWith(404, 'Response r1 does not exist');
	expect(await withModelHint(catalogue('gpt-5'), 'gpt-5', error)).toMatchObject({
		message: 'Response r1 does not exist',
		details: { code: 'model_not_found' },
	});
});

it.each([
	['of a model that the catalogue does not have', errorWith(404, 'no'), 'gpt-6'],
	['without words of the gateway', errorWith(404), 'gpt-5'],
])('the error %s is about the model', async (_, error, model) => {
	const hint = await withModelHint(catalogue('gpt-5'), model, error);
	expect(hint.message).toBe('The gateway does not know this model');
});

it.each([errorWith(422, 'no'), new TypeError('a bug')])('no catalogue is requested for %s', async (error) => {
	const known = catalogue('gpt-5');
	expect(await withModelHint(known, 'gpt-5', error)).toBe(error);
	expect(known).not.toHaveBeenCalled();
});
