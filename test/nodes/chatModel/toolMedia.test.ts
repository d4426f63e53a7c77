import { withToolMedia } from '../../../nodes/ChatModel/messages';
import type { ChatMessage, ToolMessage } from '../../../nodes/shared/gateway/text/formats/request';

// Images in the results of media tools, as the model sees them.

const call = (id: string): ChatMessage => ({
	role: 'assistant',
	text: '',
	toolCalls: [{ id, name: 'draw', arguments: '{}' }],
});
const result = (value: unknown, callId = 'a'): ToolMessage => ({
	role: 'tool',
	callId,
	text: typeof value === 'string' ? value : JSON.stringify(value),
});
const task = (...resultUrls: unknown[]) => ({ taskId: 't1', state: 'success', resultUrls });
const user: ChatMessage = { role: 'user', text: 'Draw' };
const [cat, dog] = ['https://files.test/cat.png', 'https://files.test/dog.webp'];

/** The messages, as role and URLs of images. */
function shown(...messages: Array<ChatMessage | ToolMessage>) {
	return withToolMedia(messages).map((message) => [
		message.role,
		...('attachments' in message ? (message.attachments ?? []) : []).map(({ source }) =>
			'url' in source ? source.url : 'a file',
		),
	]);
}

/** The URLs that the model sees of a result. */
const imagesOf = (value: unknown) => shown(result(value)).slice(1).flat().slice(1);

it('an image comes right after the result of its tool', () =>
	expect(shown(user, call('a'), result([task(cat)]), call('b'), result('{}', 'b'))).toStrictEqual([
		['user'],
		['assistant'],
		['tool'],
		['user', cat],
		['assistant'],
		['tool'],
	]));

it('images of tools that were called together come after all results', () =>
	expect(shown(call('a'), result([task(cat)]), result([task(dog)], 'b'))).toStrictEqual([
		['assistant'],
		['tool'],
		['tool'],
		['user', cat, dog],
	]));

it('an image that several results have comes once', () =>
	expect(
		shown(result([task(cat, cat)]), user, call('b'), result([task(cat, dog)], 'b'), result([task(dog)])),
	).toStrictEqual([['tool'], ['user', cat], ['user'], ['assistant'], ['tool'], ['tool'], ['user', dog]]));

it.each<[string, unknown]>([
	['the output of a tool', [task(cat)]],
	['one task', task(cat)],
	['a task whose ID is a number', { taskId: 5, resultUrls: [cat] }],
	['the output of a tool in an older n8n', [{ response: [task(cat)] }]],
	['a URL with a query', task(`${cat}?sign=1`)],
	['a URL without an extension', task('https://files.test/cat?sign=1.5')],
	['a URL in capital letters', task(cat.replace('https', 'HTTP').replace('png', 'PNG'))],
])('the image of %s is shown', (_, value) => expect(imagesOf(value)).toHaveLength(1));

it.each<[string, unknown]>([
	['of a task without results', task()],
	['in other text', `see ${cat}`],
	['of another tool', [{ resultUrls: [cat] }]],
	['of another field', [{ taskId: 't1', url: cat }]],
	['that are videos', task('https://files.test/cat.mp4')],
	['of an unknown type', task('https://files.test/cat.bin')],
	['at other addresses', task('data:image/png;base64,AAAA', 'file:///cat.png', 'ftp://files.test/cat.png')],
])('results %s are not shown as images', (_, value) => expect(imagesOf(value)).toStrictEqual([]));

it('at most ten images of a result are shown', () => {
	const urls = Array.from({ length: 30 }, (_, index) => `https://files.test/${index}.png`);
	expect(imagesOf(urls.map((url) => task(url)))).toStrictEqual(urls.slice(0, 10));
});
