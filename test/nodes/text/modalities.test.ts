import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../helpers/engine';
import type { JsonObject } from '../../../nodes/shared/gateway/util/json';
import { useNock } from '../../helpers/nock';
import { attach, fromField, fromUrl, picture, withFiles } from './files';
import { gateway, generate, mockResponse } from './support';

// Attachments for models that do not take them, as far as the catalogue says what they take.

useNock();

const image = attach(fromUrl('image', 'https://files.test/a.png'));

/** Mocks the catalogue; returns how often it was requested. */
function catalogue(...records: JsonObject[]) {
	const seen = { requests: 0 };
	gateway()
		.persist()
		.get('/api/v1/models')
		.reply(() => {
			seen.requests += 1;
			return [200, { data: records }];
		});
	return seen;
}

/** Runs text: generate with each item; returns the number of requests to the model, and the results. */
async function run(parameters: INodeParameters, extra: Pick<RunOptions, 'items'> = {}) {
	const bodies = (extra.items ?? [{}]).map(() => mockResponse('chat'));
	const { items } = await generate(parameters, { ...extra, settings: { onError: 'continueRegularOutput' } });
	return { sent: bodies.flat().length, results: items.map(({ json }) => json) };
}

describe('a model that takes text only', () => {
	it.each(['image', 'audio', 'video', 'file'])('is not sent %s attachments', async (kind) => {
		catalogue({ id: 'acme/writer', input_modalities: ['text'] });
		const { sent, results } = await run(attach(fromUrl(kind, 'https://files.test/a')));
		expect(results[0]?.error).toMatchObject({
			message: `'Attachments', row 1: the model "acme/writer" takes no ${kind} attachments`,
			description: expect.stringMatching(
				/takes: text\. Choose another model, or remove the attachment\. Nothing was sent\.$/,
			) as string,
			code: 'invalid_input',
			param: 'attachments',
		});
		expect(sent).toBe(0);
	});

	it('is not sent files of the item', async () => {
		catalogue({ id: 'acme/writer', input_modalities: ['text', 'audio'] });
		const items = [await withFiles(picture)];
		expect((await run(attach(fromField('image', 'photo')), { items })).sent).toBe(0);
	});

	it('is sent documents where a plugin may read them', async () => {
		const options = { extraBody: '{ "plugins": [{ "id": "file-parser" }] }' };
		const document = attach(fromUrl('file', 'data:application/pdf;base64,JVBERg=='));
		catalogue({ id: 'acme/writer', input_modalities: ['text'] });
		expect((await run({ ...document, options })).sent).toBe(1);
		const extraBody = '{ "plugins": [{ "id": "file-parser" }] }';
		expect((await run({ ...document, options: { extraBody } })).sent).toBe(1);
		expect((await run({ ...image, options })).sent).toBe(0);
	});

	it('is sent prompts without attachments, and the catalogue is not read', async () => {
		const seen = catalogue({ id: 'acme/writer', input_modalities: ['text'] });
		expect((await run({})).sent).toBe(1);
		expect(seen.requests).toBe(0);
	});

	it('is judged by the model that Extra Body names', async () => {
		catalogue(
			{ id: 'acme/writer', input_modalities: ['text'] },
			{ id: 'acme/seer', input_modalities: ['text', 'image'] },
		);
		const options = { extraBody: '{ "model": "acme/seer" }' };
		expect((await run({ ...image, options })).sent).toBe(1);
	});
});

describe('an attachment is sent', () => {
	it.each<[string, JsonObject]>([
		['the model takes it', { id: 'acme/writer', input_modalities: ['text', 'image'] }],
		['the catalogue does not say what the model takes', { id: 'acme/writer' }],
		['the catalogue does not have the model', { id: 'acme/other', input_modalities: ['text'] }],
	])('where %s', async (_, record) => {
		catalogue(record);
		expect((await run(image)).sent).toBe(1);
	});

	it('where the catalogue cannot be read', async () => {
		gateway().get('/api/v1/models').reply(403, {});
		expect((await run(image)).sent).toBe(1);
	});
});

it('the catalogue is read once for all items and attachments', async () => {
	const seen = catalogue({ id: 'acme/writer', input_modalities: ['text', 'image'] });
	const two = fromUrl('image', 'https://files.test/a.png');
	expect((await run(attach(two, two), { items: [{ json: {} }, { json: {} }, { json: {} }] })).sent).toBe(3);
	expect(seen.requests).toBe(1);
});
