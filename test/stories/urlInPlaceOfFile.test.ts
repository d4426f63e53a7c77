import { attach, fromField } from '../nodes/text/files';
import type { StoryNode } from './execution';
import { image, text, useStories } from './support';

// The item has a URL, and the node is set to a binary field.

const { gateway, execute } = useStories();

const URL = 'https://files.test/a.png';
const NODES: Array<[string, StoryNode, string]> = [
	['Analyze', text({ resource: 'image', operation: 'analyze', prompt: '-' }), "set 'Source' to 'URL'"],
	['Attachments', text({ prompt: '-', ...attach(fromField('image', 'data')) }), "set 'Source' to 'URL'"],
	[
		'Upload',
		{ node: 'storage', parameters: { resource: 'file', operation: 'upload' } },
		"set 'Upload Source' to 'URL'",
	],
	[
		'Input Files',
		image({ prompt: '-', inputFiles: { files: [{ inputField: 'image_urls' }] } }),
		'into the model’s field',
	],
];

describe.each(NODES)('%s', (_, node, advice) => {
	test.each<[object, string]>([
		[{ url: URL }, '{{ $json.url }}'],
		[{ resultUrls: [URL] }, '{{ $json.resultUrls[0] }}'],
	])('says how to use the URL of %j', async (json, expression) => {
		const { error } = await execute(node, [{ json: { ...json } }, { json: { ...json } }]);
		expect(error?.description).toContain(advice);
		expect(error?.description).toContain(expression);
		expect(error?.description).not.toContain('add a node');
		expect(gateway.control.requests({ method: 'POST' })).toStrictEqual([]);
	});

	test.each([{}, { url: 'a.png' }, { resultUrls: [] }])('says what is missing in %j', async (json) => {
		const { error } = await execute(node, [{ json }]);
		expect(error?.description).toContain('add a node that returns a file');
	});
});
