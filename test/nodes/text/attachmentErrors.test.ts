import nock from 'nock';
import type { INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../../helpers/engine';
import { useNock } from '../../helpers/nock';
import { attach, fromUrl } from './files';
import { generate } from './support';

useNock();

const continued: RunOptions['settings'] = { onError: 'continueRegularOutput' };

describe('an attachment is rejected before a request is sent', () => {
	const inputError = async (parameters: INodeParameters) => {
		const { items } = await generate(parameters, { settings: continued });
		return items[0]?.json.error;
	};

	it.each<[string, Record<string, string>, RegExp]>([
		['of an unknown kind', fromUrl('smell', 'https://files.test/a'), /row 2: 'Type'.*"smell"/],
		['from an unknown source', { ...fromUrl('image', ''), source: 'air' }, /row 2: 'Source'.*"air"/],
		['without a URL', fromUrl('image', ' '), /row 2: .*not a web address/],
		['at a URL without a host', fromUrl('image', 'https:///a.png'), /row 2: .*not a web address/],
		['at a URL of another protocol', fromUrl('image', 'ftp://files.test/a'), /row 2: .*not a web address/],
		[
			'at text that only contains a URL',
			fromUrl('image', 'see https://files.test/a'),
			/row 2: .*not a web address/,
		],
		['of an empty data URL', fromUrl('file', 'data:text/plain;base64,'), /row 2: .*"file\.txt" is empty/],
	])('%s, with its row', async (_, attachment, message) =>
		expect(await inputError(attach(fromUrl('image', 'https://files.test/a'), attachment))).toMatchObject({
			message: expect.stringMatching(message) as string,
			code: 'invalid_input',
			param: 'attachments',
		}),
	);

	it.each([
		['responses', 'video', /Chat/],
		['messages', 'audio', /Chat.* or .*Responses|Responses.* or .*Chat/],
	])(
		'%s: of a kind that the format does not support, with the formats that do',
		async (format, kind, others) =>
			expect(await inputError({ format, ...attach(fromUrl(kind, 'https://files.test/a')) })).toMatchObject({
				description: expect.stringMatching(others) as string,
			}),
	);

	it('whose server cannot be reached, which is not an error of the gateway', async () => {
		nock('https://files.test')
			.get('/a.mp3')
			.times(4)
			.replyWithError(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
		const parameters = {
			options: { maxRetries: 0 },
			...attach(fromUrl('audio', 'https://files.test/a.mp3')),
		};
		expect(await inputError(parameters)).toMatchObject({
			message: expect.stringContaining('could not be fetched') as string,
			description: expect.stringMatching(/nothing \(enotfound\)/) as string,
			param: 'attachments',
		});
	});
});
