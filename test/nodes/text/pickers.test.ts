import { TextGeneration } from '../../../nodes/TextGeneration/TextGeneration.node';
import { editorContext } from '../../helpers/contexts';
import { useNock } from '../../helpers/nock';
import { gateway } from './support';

// The lists of models for images, recordings and documents.

useNock();

const catalogue = [
	{ id: 'a/all', input_modalities: ['text', 'image', 'audio', 'file'] },
	{ id: 'b/eyes', input_modalities: ['text', 'image'] },
	{ id: 'c/ears', architecture: { input_modalities: ['text', 'audio'] } },
	{ id: 'd/silent' },
	{ id: 'e/other', input_modalities: ['text', 'smell'] },
	{ id: 'f/text', input_modalities: ['text'] },
];
const credential = { baseUrl: 'https://gateway.test/api/v1', apiKey: 'sk-1' };
const { listSearch } = new TextGeneration().methods;

it.each<[keyof typeof listSearch, string[]]>([
	['searchTextModels', ['a/all', 'b/eyes', 'c/ears', 'd/silent', 'e/other', 'f/text']],
	['searchImageReaders', ['a/all', 'b/eyes', 'd/silent', 'e/other']],
	['searchAudioReaders', ['a/all', 'c/ears', 'd/silent', 'e/other']],
	['searchDocumentReaders', ['a/all', 'd/silent', 'e/other']],
])('%s has the models that take the file, and those that may', async (method, ids) => {
	gateway().get('/api/v1/models').reply(200, { data: catalogue });
	const context = editorContext({ node: 'textGeneration', parameters: {}, credential });
	const { results } = await listSearch[method].call(context);
	expect(results.map(({ value }) => value)).toStrictEqual(ids);
});
