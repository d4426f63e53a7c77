import nock from 'nock';

import { ChatModel } from '../../../nodes/ChatModel/ChatModel.node';
import { supplyContext } from '../../helpers/contexts';
import { useNock } from '../../helpers/nock';

useNock();

it('a key that the gateway repeats shows in no error of the model', async () => {
	const apiKey = 'odd-key-of-an-old-account';
	nock('https://gateway.test')
		.post('/api/v1/chat/completions')
		.reply(200, { error: { message: `no luck for ${apiKey}`, code: apiKey } });
	const { context } = supplyContext({
		node: 'chatModel',
		parameters: { model: { __rl: true, mode: 'id', value: 'acme/writer' } },
		credential: { baseUrl: 'https://gateway.test/api/v1', apiKey },
	});
	const { response } = await new ChatModel().supplyData.call(context, 0);
	const { invoke } = response as { invoke: (text: string) => Promise<unknown> };
	const error: unknown = await invoke.call(response, 'Hello').catch((caught: unknown) => caught);
	expect(error).toMatchObject({ description: expect.stringContaining('no luck for [key]') as string });
	expect(JSON.stringify(error)).not.toContain(apiKey);
});
