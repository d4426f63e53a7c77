import nock from 'nock';

import * as sandbox from '../../sandbox/gateway/catalogue/mediaSchemas';
import { loadFileFields } from '../../nodes/shared/fields/mediaForm';
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

	it('has the fields that take a URL, with their titles and descriptions', async () => {
		expect(await listed(sandbox.retouch)).toStrictEqual([
			{ name: 'Images (image_urls)', value: 'image_urls', description: 'URLs of the images to edit' },
			{ name: 'Mask (mask_url)', value: 'mask_url', description: 'URL of a mask image' },
		]);
	});

	it.each([
		['text, tags and numbers', sandbox.canvas],
		['nothing', {}],
	])('is empty for a model that takes %s', async (_, schema) => {
		expect(await listed(schema)).toStrictEqual([]);
	});
});
