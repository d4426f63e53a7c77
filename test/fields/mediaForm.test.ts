import nock from 'nock';

import * as sandbox from '../../sandbox/gateway/catalogue/mediaSchemas';
import { loadFileFields, mapMediaFields } from '../../nodes/shared/fields/mediaForm';
import { mediaSearches } from '../../nodes/shared/fields/models';
import { editorContext } from '../helpers/contexts';
import { catalogue, model, painter } from '../helpers/media';
import { useNock } from '../helpers/nock';

useNock();

describe('the list of fields for a file', () => {
	const listed = async (inputSchema: object) => {
		nock.cleanAll();
		catalogue([painter(inputSchema)]);
		return await loadFileFields.call(editorContext({ node: 'mediaTask', parameters: { model } }));
	};

	it('has the fields that the schema has for a URL, with their titles and descriptions', async () => {
		expect(await listed(sandbox.retouch)).toStrictEqual([
			{ name: 'Images (image_urls)', value: 'image_urls', description: 'URLs of the images to edit' },
			{ name: 'Mask (mask_url)', value: 'mask_url', description: 'URL of a mask image' },
		]);
	});

	it('has none of other texts', async () => {
		const text = { type: 'string' };
		expect(
			await listed({
				properties: { prompt: text, negative_prompt: text, tags: { type: 'array', items: text } },
			}),
		).toStrictEqual([]);
	});

	it('is empty for a model without fields', async () => expect(await listed({})).toStrictEqual([]));
});

describe('the form of a model', () => {
	const shown = async (load: typeof mapMediaFields) => {
		catalogue([painter(sandbox.retouch)]);
		// Without data of an execution, the editor does not pass on what an expression returns.
		const context = editorContext({ node: 'mediaTask', parameters: { model } });
		return (await load.call(context)).fields.filter(({ display }) => display).map(({ id }) => id);
	};

	it('leaves out the prompt for a task, which has a parameter for it', async () => {
		const ids = await shown(mapMediaFields);
		expect(ids).toContain('image_urls');
		expect(ids).not.toContain('prompt');
	});
});

describe('the list of models', () => {
	const models = ['image', 'video', 'music', 'audio'].map((media_type) =>
		painter({}, { id: `acme/${media_type}`, media_type }),
	);

	it.each([
		['images', mediaSearches.searchImageModels, 'acme/image'],
		['videos', mediaSearches.searchVideoModels, 'acme/video'],
		['music', mediaSearches.searchMusicModels, 'acme/music'],
		['speech', mediaSearches.searchSpeechModels, 'acme/audio'],
	])('for %s has only those, with their prices', async (_, search, id) => {
		catalogue([...models, painter({}, { id: 'acme/unknown', media_type: 'hologram' })]);
		const context = editorContext({ node: 'mediaTask', parameters: {} });
		expect((await search.call(context)).results).toStrictEqual([{ name: `${id} · ₽6 per task`, value: id }]);
		expect((await search.call(context, 'nothing like it')).results).toStrictEqual([]);
	});
});
