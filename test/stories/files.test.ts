import { textFormats } from '../../nodes/shared/gateway/text/formats';
import { CONTINUE, form, locator } from '../helpers/values';
import { attach, fromField, fromUrl, PIXEL, withFiles } from '../nodes/text/files';
import type { StoryNode } from './execution';
import { image, prompts, text, useStories } from './support';

// Files as messengers and other nodes give them: what the model gets.

const { gateway, execute } = useStories();

const OCTETS = 'application/octet-stream';
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a46494600010101', 'hex');
const OGG = Buffer.from(`OggS\0\u0002${'\0'.repeat(20)}\u0001\u0013OpusHead\u0001\u0001`);
const ZIP = Buffer.from('PK\u0003\u0004');
const MP3 = Buffer.concat([Buffer.from('ID3\u0003\0\0\0\0\0\0'), Buffer.from('fffb9000', 'hex')]);
const PDF = Buffer.from('%PDF-1.7\n');

/** The part of a message with this file, in JSON; nothing if it was not sent. */
async function sent(type: string, mimeType: string, fileName: string, content: Buffer, parameters = {}) {
	const item = await withFiles({ name: 'data', content, mimeType, fileName });
	const node = text({ prompt: 'Look', ...attach(fromField(type, 'data')), ...parameters }, CONTINUE);
	const execution = await execute(node, [item, item]);
	const [request] = gateway.control.requests({ method: 'POST' });
	return { execution, body: JSON.stringify(request?.body.json ?? null) };
}

test.each<[string, string, string, Buffer, string]>([
	['image', 'image/jpg', 'a.jpg', JPEG, 'data:image/jpeg;base64'],
	['image', 'IMAGE/PJPEG; q=1', 'a', JPEG, 'data:image/jpeg;base64'],
	['image', OCTETS, 'file_17', PNG, 'data:image/png;base64'],
	['image', OCTETS, 'file_17', JPEG, 'data:image/jpeg;base64'],
	['image', 'binary/octet-stream', 'file_17', PNG, 'data:image/png;base64'],
	['image', OCTETS, 'photo.jpg', Buffer.from('x'), 'data:image/jpeg;base64'],
	['audio', OCTETS, 'file_3.oga', OGG, '"format":"ogg"'],
	['audio', OCTETS, 'voice.opus', OGG, '"format":"ogg"'],
	['audio', 'audio/opus', 'voice', OGG, '"format":"ogg"'],
	['audio', OCTETS, 'voice', MP3, '"format":"mp3"'],
	['audio', OCTETS, 'a.aac', Buffer.from('x'), '"format":"aac"'],
	['audio', 'audio/mp3', 'a', MP3, '"format":"mp3"'],
	['file', OCTETS, 'scan', PDF, 'data:application/pdf;base64'],
	['file', OCTETS, 'notes.txt', Buffer.from('Привет'), 'data:text/plain;base64'],
	['file', OCTETS, 'a.docx', Buffer.from('PK'), 'data:application/vnd.openxmlformats'],
	['file', OCTETS, 'notes.md', Buffer.from('# Note'), 'data:text/markdown;base64'],
	['file', OCTETS, 'data.xml', Buffer.from('<a/>'), 'data:application/xml;base64'],
	// What n8n says of a file of which it knows nothing.
	['image', 'text/plain', 'photo', PNG, 'data:image/png;base64'],
	['file', 'text/plain', 'scan', PDF, 'data:application/pdf;base64'],
	['file', 'text/plain', 'notes', Buffer.from('Привет'), 'data:text/plain;base64'],
])('%s of the type %s named %s is sent with its own type', async (type, mimeType, name, content, part) => {
	const { execution, body } = await sent(type, mimeType, name, content, {
		model: locator('polyglot/omni-audio'),
	});
	expect(execution.errors()).toStrictEqual([]);
	expect(body).toContain(part);
});

test.each<[string, Buffer]>([
	['image', Buffer.from('no picture')],
	['audio', Buffer.from([1, 2, 3, 0, 255])],
	['file', Buffer.from([1, 2, 3, 0, 255])],
])('%s of a type that nobody knows is an error, and nothing is sent', async (type, content) => {
	const { execution, body } = await sent(type, OCTETS, 'file_17', content);
	expect(body).toBe('null');
	expect(execution.errors()).toHaveLength(2);
	expect(execution.errors()[0]).toMatchObject({
		message: expect.stringContaining('"file_17"') as string,
		description: expect.stringMatching(/Nothing was sent/) as string,
	});
});

test.each([
	['chat', 'messages'],
	['responses', 'input'],
	['messages', 'messages'],
])('in the format %s, the %s of *Extra Body* are sent in place of an attachment', async (format, key) => {
	const replaced = { [key]: [{ role: 'user', content: 'Only this' }] };
	const options = { extraBody: JSON.stringify(replaced) };
	const { execution, body } = await sent('file', 'application/pdf', 'a.pdf', PDF, { format, options });
	expect(execution.errors()).toStrictEqual([]);
	expect(JSON.parse(body)).toMatchObject(replaced);
});

test('a file that is given as a data URL is sent with its own type, too', async () => {
	const url = `data:image/jpg;base64,${JPEG.toString('base64')}`;
	await execute(text({ prompt: 'Look', ...attach(fromUrl('image', url)) }), [{ json: {} }]);
	const [request] = gateway.control.requests({ method: 'POST' });
	expect(JSON.stringify(request?.body.json)).toContain('data:image/jpeg;base64');
});

test.each([OCTETS, 'binary/octet-stream', ''])(
	'an upload of the type %j has that of its name',
	async (type) => {
		const upload: StoryNode = { node: 'storage', parameters: { resource: 'file', operation: 'upload' } };
		const item = await withFiles({
			name: 'data',
			content: Buffer.from('x'),
			mimeType: type,
			fileName: 'a.avif',
		});
		const [output] = (await execute(upload, [item])).items();
		expect(output?.json.mimeType).toBe('image/avif');
	},
);

describe('a picture to edit', () => {
	const model = locator('aurora/retouch-1');
	const edit = (inputFiles: object = { files: [{ inputField: 'image_urls' }] }) =>
		image({ operation: 'edit', prompt: 'at night', model, input: form({}), inputFiles });
	const pictures = async () => {
		const file = { name: 'data', content: PIXEL, mimeType: 'image/png', fileName: 'a.png' };
		return await Promise.all([1, 2, 3].map(async () => await withFiles(file)));
	};
	const upload = { path: '/storage/upload' };

	test.each(['={{ Object.keys($binary) }}', 'photo, sketch'])(
		'comes with all others of its item, in one row: %s',
		async (binaryPropertyName) => {
			const file = { content: PIXEL, mimeType: 'image/png', fileName: 'a.png' };
			const album = await withFiles({ name: 'photo', ...file }, { name: 'sketch', ...file });
			const { error } = await execute(edit({ files: [{ binaryPropertyName, inputField: 'image_urls' }] }), [
				album,
			]);
			expect(error).toBeUndefined();
			expect(gateway.control.tasks()[0]?.input.image_urls).toHaveLength(2);
			expect(gateway.charges()).toBe(1);
		},
	);

	test.each([
		['is empty', 0, 'The file is empty'],
		['has 101 MB', 101 * 1024 * 1024, 'The file is too large to upload: 101.0 MB'],
	])('is an error when it %s: nothing is uploaded or charged', async (_, size, message) => {
		const content = Buffer.alloc(size);
		const file = await withFiles({ name: 'data', content, mimeType: 'image/png', fileName: 'a.png' });
		const { error } = await execute(edit(), [file]);
		expect(error?.message).toBe(message);
		expect([gateway.control.requests(upload), gateway.charges()]).toStrictEqual([[], 0]);
	});

	test('is an error when that of the last item has 101 MB: no other one is sent', async () => {
		const [first, second] = await pictures();
		const content = Buffer.alloc(101 * 1024 * 1024);
		const large = await withFiles({ name: 'data', content, mimeType: 'image/png', fileName: 'b.png' });
		const { error } = await execute(
			edit(),
			[first, second, large].flatMap((item) => item ?? []),
		);
		expect(error?.message).toBe('The file is too large to upload: 101.0 MB');
		expect(error?.context?.itemIndex).toBe(2);
		expect([gateway.control.requests(upload), gateway.charges()]).toStrictEqual([[], 0]);
	});

	test('is uploaded again when the response to its upload is lost: all items succeed', async () => {
		gateway.control.addFault({ match: upload, action: { kind: 'loseResponse' } });
		const execution = await execute(edit(), await pictures());
		expect(execution.error).toBeUndefined();
		expect(execution.items()).toHaveLength(3);
		expect(gateway.charges()).toBe(3);
	});

	test('is an error when all responses are lost: nothing is charged, and it can be sent again', async () => {
		gateway.control.addFault({ match: upload, action: { kind: 'loseResponse' }, times: 0 });
		const execution = await execute({ ...edit(), settings: CONTINUE }, await pictures());
		for (const { description, retryable } of execution.errors()) {
			expect(description).toMatch(/This call was not charged\.$/);
			expect(retryable).toBe(true);
		}
		expect(execution.errors()).toHaveLength(3);
		expect(gateway.charges()).toBe(0);
	});
});

describe.each<[string, (source: object) => object]>([
	['Document: Read', (source) => ({ resource: 'document', operation: 'read', prompt: 'Read', ...source })],
	[
		'Attachments',
		(source) => ({ prompt: 'Read', attachments: { attachment: [{ type: 'file', ...source }] } }),
	],
	[
		'Messages',
		(source) => ({
			inputMode: 'messages',
			messages: { message: [{ role: 'user', content: 'Read', attachment: 'file', ...source }] },
		}),
	],
])('%s', (name, parametersOf) => {
	const paper = (field: string) => ({
		name: field,
		content: PDF,
		mimeType: 'application/pdf',
		fileName: `${field}.pdf`,
	});
	const namesSent = () =>
		gateway.control
			.requests({ method: 'POST' })
			.map(({ body }) => JSON.stringify(body.json).match(/paper_\d\.pdf/g))
			.sort();

	test.each(['={{ Object.keys($binary) }}', '={{ $binary.keys() }}'])(
		'all files of an e-mail are read with %s, however many it has',
		async (binaryPropertyName) => {
			const mails = await Promise.all([
				withFiles(paper('paper_0')),
				withFiles(paper('paper_0'), paper('paper_1')),
			]);
			const { error } = await execute(text(parametersOf({ binaryPropertyName })), mails);
			expect(error).toBeUndefined();
			expect(namesSent()).toStrictEqual([['paper_0.pdf'], ['paper_0.pdf', 'paper_1.pdf']]);
		},
	);

	test('an item without a file is sent without one, where the prompt is enough', async () => {
		const node = text(parametersOf({ binaryPropertyName: '={{ Object.keys($binary) }}' }), CONTINUE);
		const execution = await execute(node, [{ json: {} }, await withFiles(paper('paper_0'))]);
		const isEnough = name !== 'Document: Read';
		expect(execution.errors().map(({ message }) => message)).toStrictEqual(
			isEnough ? [] : ["'Input Binary Fields' is empty"],
		);
		expect(gateway.charges()).toBe(isEnough ? 2 : 1);
	});

	test('all files at the URLs of a list are read', async () => {
		const links = ['paper_0', 'paper_1'].map(
			(name) => `data:application/pdf;name=${name}.pdf;base64,${PDF.toString('base64')}`,
		);
		const source = { source: 'url', url: '={{ $json.links }}' };
		const { error } = await execute(text(parametersOf(source)), [{ json: { links } }]);
		expect(error).toBeUndefined();
		const [request] = gateway.control.requests({ method: 'POST' });
		expect(JSON.stringify(request?.body.json).match(/data:application\/pdf;base64/g)).toHaveLength(2);
	});
});

describe.each(textFormats)('a text in the format $label', ({ name: format }) => {
	test.each([
		['Windows-1251', Buffer.from([0xcf, 0xf0, 0xe8])],
		['UTF-16', Buffer.from('\uFEFFцена', 'utf16le')],
	])('in %s is an error that says what to do, and nothing is sent', async (_, content) => {
		const { execution, body } = await sent('file', 'text/csv', 'a.csv', content, { format });
		expect(body).toBe('null');
		expect(execution.errors()[0]).toMatchObject({
			message: 'The file "a.csv" is not in UTF-8',
			description: expect.stringMatching(/Extract from File.*Nothing was sent/) as string,
		});
	});

	test('of more than 16 MB is an error, and nothing is sent', async () => {
		const content = Buffer.alloc(16 * 1024 * 1024 + 1, 'a');
		const { execution, body } = await sent('file', 'text/csv', 'a.csv', content, { format });
		expect(body).toBe('null');
		expect(execution.errors()[0]?.message).toContain('longer than any model reads');
	});
});

describe('the format Messages', () => {
	const messages = { format: 'messages' };

	test.each<[string, string, string]>([
		['text/csv', 'a.csv', 'имя,цена\nчай,5'],
		['text/csv', 'bom.csv', '\uFEFFимя,цена'],
		['text/markdown', 'a.md', '# Note: "x"'],
		['text/plain; charset=utf-8', 'a.txt', 'Note: 😀'],
		['application/json', 'a.json', '{"a": 1}'],
		[OCTETS, 'a.csv', 'a,b'],
		['application/x-subrip', 'a.srt', '1\n00:00:01,000 --> 00:00:02,000\nHello'],
		['message/rfc822', 'a.eml', 'Subject: Hello'],
		[OCTETS, 'a.eml', 'Subject: Hello'],
		[OCTETS, 'a.vtt', 'WEBVTT'],
	])('gets a file of the type %s as text', async (mimeType, name, content) => {
		const { execution, body } = await sent('file', mimeType, name, Buffer.from(content), messages);
		expect(execution.errors()).toStrictEqual([]);
		const source = { type: 'text', media_type: 'text/plain', data: content.replace('\uFEFF', '') };
		expect(body).toContain(JSON.stringify({ type: 'document', source, title: name }));
	});

	test.each([
		['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'a.docx'],
		['application/zip', 'a.zip'],
	])('gets no file of the type %s, which its models refuse', async (mimeType, name) => {
		const { execution, body } = await sent('file', mimeType, name, ZIP, messages);
		const [error] = execution.errors();
		expect(error?.message).toBe(`The API format Messages takes PDF and text files only, not "${name}"`);
		expect(body).toBe('null');
	});

	test.each([
		[OCTETS, 'a'],
		['application/zip', 'a.zip'],
	])('gets a PDF as it is, called %s and %s', async (mimeType, name) => {
		const { body } = await sent('file', mimeType, name, PDF, messages);
		expect(body).toContain('"media_type":"application/pdf"');
	});

	test('has a text counted by its size', async () => {
		const dry = { ...messages, options: { dryRun: true, maxTokens: 10 } };
		const content = Buffer.from(`Note: ${'a'.repeat(1_000)}`);
		const { execution } = await sent('file', 'text/plain', 'a.txt', content, dry);
		expect(execution.errors()).toStrictEqual([]);
		expect(execution.items()[0]?.json.maxCostRub).toBeLessThan(5);
	});
});

describe('an agent that asks for a picture again', () => {
	/** A call of the tool. The ID is the model's. */
	const call = (toolCallId: string, prompt = 'a cat') => [{ json: { prompt, toolCallId } }];
	const tool = () => ({ ...image(), asTool: true });
	const NO_COST: unknown = expect.stringMatching(/^Cost: ₽0 \(execution so far: ₽1\.80\)|^$/);

	it('the agent gets the same picture, pays once, and reads that another one needs another input', async () => {
		const first = await execute(tool(), call('call-1'));
		expect(JSON.stringify(first.items())).not.toMatch(/same task as before/i);
		const second = await first.callAgain(call('call-2'));
		expect(second.error).toBeUndefined();
		expect(gateway.charges()).toBe(1);
		const [task] = gateway.control.tasks();
		const output = second.items()[0]?.json;
		expect(output).toMatchObject({ taskId: task?.taskId, state: 'success', resultUrls: task?.resultUrls });
		expect(JSON.stringify(output)).toMatch(/same task as before.*change/i);
		const third = await second.callAgain(call('call-3'));
		expect(JSON.stringify(third.items())).toMatch(/same task as before/i);
		expect(gateway.charges()).toBe(1);
		const hints = [first, second, third].map((execution) => execution.hints());
		expect(hints).toStrictEqual([expect.stringMatching(/^Cost: ₽1\.80/), NO_COST, NO_COST]);
	});

	it('the agent gets another picture for another input, without that note', async () => {
		const first = await execute(tool(), call('call-1'));
		const second = await first.callAgain(call('call-2', 'a dog'));
		expect(gateway.charges()).toBe(2);
		expect(JSON.stringify(second.items())).not.toMatch(/same task as before/i);
	});

	it('the agent gets the picture whose creation was lost, without that note, and pays once', async () => {
		gateway.control.addFault({ match: { method: 'POST' }, action: { kind: 'loseResponse' }, times: 0 });
		const lost = await execute(tool(), call('call-1'));
		expect(lost.items()[0]?.json.error).toMatch(/may have been created/);
		gateway.control.clearFaults();
		const second = await lost.callAgain(call('call-2'));
		expect(second.items()[0]?.json).toMatchObject({ state: 'success' });
		expect(JSON.stringify(second.items())).not.toMatch(/same task as before/i);
		expect(gateway.charges()).toBe(1);
	});

	it('a prompt of the node itself, which is another one in the next round of a loop, makes another picture', async () => {
		const variables = { season: 'winter' };
		const first = await execute({ ...tool(), ...image({ prompt: '={{ $vars.season }}' }) }, call('call-1'), {
			n8n: { variables },
		});
		variables.season = 'summer';
		const second = await first.callAgain(call('call-2'));
		const made = gateway.control.tasks().map(({ input, taskId }) => [input.prompt, taskId]);
		expect(Object.fromEntries(made)).toStrictEqual({
			winter: first.items()[0]?.json.taskId,
			summer: second.items()[0]?.json.taskId,
		});
	});

	it('after a task that failed, the agent reads that the item keeps it, and pays for no other one', async () => {
		gateway.control.configure({ taskFailure: { code: 'MODERATION', message: 'Not this one', times: 1 } });
		const first = await execute(tool(), call('call-1'));
		const second = await first.callAgain(call('call-2'));
		for (const execution of [first, second])
			expect(execution.items()[0]?.json.error).toMatch(/^The media task failed.*keeps its task/);
		expect(gateway.control.tasks()).toHaveLength(1);
	});

	it('after its task was deleted, the agent reads at once that *Restore* brings it back, and pays for no other one', async () => {
		const first = await execute(tool(), call('call-1'));
		const [{ taskId } = {}] = gateway.control.tasks();
		const change = async (operation: string) =>
			await execute({ node: 'mediaTask', parameters: { resource: 'task', operation, taskId } }, prompts(''));
		await change('delete');
		const start = Date.now();
		const second = await first.callAgain(call('call-2'));
		expect(Date.now() - start).toBeLessThan(60_000);
		const error = second.items()[0]?.json.error;
		expect(error).toMatch(/^The task of this item was deleted at the gateway.*'Restore'.*another input/);
		await change('restore');
		const third = await second.callAgain(call('call-3'));
		expect(third.items()[0]?.json).toMatchObject({ taskId, state: 'success' });
		expect(gateway.charges()).toBe(1);
	});
});

describe('an agent whose text tool fails', () => {
	const call = (toolCallId: string) => [{ json: { prompt: '[[say:four]]', toolCallId } }];
	const tool = () => ({ ...text(), asTool: true });

	it('the agent reads what happened and goes on; the same call again pays nothing', async () => {
		gateway.control.addFault({ match: { method: 'POST' }, action: { kind: 'loseResponse' } });
		const lost = await execute(tool(), call('call-1'));
		for (const execution of [lost, await lost.callAgain(call('call-2'))]) {
			expect(execution.error).toBeUndefined();
			const errors = execution.items().map(({ json }) => json.error);
			expect(errors).toStrictEqual([expect.stringMatching(/connection.*may (have been|be) charged/is)]);
		}
		expect(gateway.charges()).toBe(1);
	});

	it('a call that asks for a picture, which a tool cannot return, is not sent', async () => {
		const options = { audioAndImages: { modalities: ['text', 'image'] } };
		const refused = await execute({ ...text({ options }), asTool: true }, call('call-1'));
		expect(refused.items()[0]?.json.error).toMatch(/returns no audio and no images.*Media Task/);
		expect(gateway.charges()).toBe(0);
	});

	it('after a refused call, which is free, the same call again returns the text', async () => {
		const action = { kind: 'error', code: 'invalid_request' } as const;
		gateway.control.addFault({ match: { method: 'POST' }, action });
		const refused = await execute(tool(), call('call-1'));
		const again = await refused.callAgain(call('call-2'));
		expect(again.items()[0]?.json.text).toBe('four');
		expect(gateway.charges()).toBe(1);
	});
});
