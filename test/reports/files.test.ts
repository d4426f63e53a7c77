import { TEXT_MODEL } from '../contract/support';
import { binaryStorage } from '../helpers/engine';
import { form } from '../helpers/media';
import { FORMATS, locator } from '../helpers/values';
import { withFiles } from '../nodes/text/files';
import { useReports } from './support';

// Files arrive as they are.

const { run, gateway } = useReports();

/** Lines that differ, of more than one chunk of a stream. */
const TABLE = Array.from({ length: 8_000 }, (_, n) => `${n},чай ${n},${n * 7}`).join('\n');

/** All texts in a request, with those of data URLs. */
function textsIn(body: unknown): string {
	return JSON.stringify(body).replace(/data:[^"]*?;base64,([^"]+)/g, (_, data: string) =>
		JSON.stringify(Buffer.from(data, 'base64').toString()),
	);
}

test.each(FORMATS)('%s: a text file of 180 KB is sent whole', async (format) => {
	const content = Buffer.from(TABLE);
	const items = [await withFiles({ name: 'table', content, mimeType: 'text/csv', fileName: 'a.csv' })];
	const attachment = [{ type: 'file', source: 'binary', binaryPropertyName: 'table' }];
	const parameters = {
		resource: 'text',
		operation: 'generate',
		format,
		model: locator(TEXT_MODEL),
		prompt: 'Sum it up',
		attachments: { attachment },
	};
	const { json, sent } = await run('textGeneration', parameters, items);
	expect(json).not.toHaveProperty('error');
	expect(textsIn(sent[0])).toContain(JSON.stringify(TABLE).slice(1, -1));
});

const OFFICE = 'application/vnd.openxmlformats-officedocument';

test.each([
	['report.docx', `${OFFICE}.wordprocessingml.document`],
	['prices.xlsx', `${OFFICE}.spreadsheetml.sheet`],
	['talk.pptx', `${OFFICE}.presentationml.presentation`],
	['old.doc', 'application/msword'],
	['notes.md', 'text/markdown'],
	['feed.xml', 'application/xml'],
	['config.yaml', 'application/yaml'],
	['photo.heic', 'image/heic'],
])('%s without a type is sent as %s', async (fileName, mimeType) => {
	const content = Buffer.from(fileName);
	const octets = 'application/octet-stream';
	const items = [await withFiles({ name: 'data', content, mimeType: octets, fileName })];
	const parameters = {
		resource: 'document',
		operation: 'read',
		model: locator(TEXT_MODEL),
		prompt: 'Sum up',
	};
	const { json, sent } = await run('textGeneration', parameters, items);
	expect(json).not.toHaveProperty('error');
	const file = { filename: fileName, file_data: `data:${mimeType};base64,${content.toString('base64')}` };
	expect(JSON.stringify(sent)).toContain(JSON.stringify({ type: 'file', file }));
});

const picture = (prompt: string) => ({
	resource: 'image',
	operation: 'generate',
	model: locator('aurora/canvas-1'),
	prompt,
	input: form({ quality: 'draft', size: '512x512' }),
});

test('a result is downloaded whole after the file server has refused it once with 429', async () => {
	gateway.control.configure({ render: 'full' });
	const body = { text: 'Slow down', contentType: 'text/plain' };
	gateway.control.addFault({
		match: { host: 'files' },
		action: { kind: 'raw', status: 429, body, retryAfter: 2 },
	});
	const { items, json } = await run('mediaTask', picture('a lighthouse'));
	expect(json).toMatchObject({ state: 'success' });
	const file = items[0]?.binary?.data;
	const bytes = file && (await (await binaryStorage()).getAsBuffer(file));
	expect(file?.bytes).toBe(bytes?.length);
	// The end of a PNG.
	expect(bytes?.subarray(-8, -4).toString()).toBe('IEND');
	expect(gateway.control.requests({ host: 'files' }).map(({ status }) => status)).toStrictEqual([429, 200]);
	expect(gateway.charges()).toBe(1);
});

test('a 429 of the file server is not the rate limit of the account: other tasks are created meanwhile', async () => {
	const body = { text: 'Slow down', contentType: 'text/plain' };
	gateway.control.addFault({
		match: { host: 'files' },
		action: { kind: 'raw', status: 429, body, retryAfter: 30 },
		times: 2,
	});
	const prompts = ['a', 'b', 'c'].map((prompt) => ({ json: { prompt } }));
	const parameters = { ...picture('={{ $json.prompt }}'), options: { concurrency: 1 } };
	const { items, hints } = await run('mediaTask', parameters, prompts);
	expect(items.map(({ json }) => json.state)).toStrictEqual(['success', 'success', 'success']);
	const [first, , third] = gateway.control.requests({ method: 'POST' });
	expect((third?.startedAt ?? NaN) - (first?.startedAt ?? NaN)).toBeLessThan(30_000);
	expect(hints.join('\n')).not.toContain('rate limit');
	expect(gateway.charges()).toBe(3);
});
