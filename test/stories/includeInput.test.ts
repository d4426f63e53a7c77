import { CONTINUE } from '../helpers/values';
import { image, RETRY_ON_FAIL, says, text, useStories } from './support';

// *Include Input Fields*: rows keep their columns.

const { gateway, execute, disturb, calm } = useStories();
const options = { includeInput: true };
const ROWS = [
	{ sku: 'A-1', prompt: '[[say:a lamp]]', price: 1200, id: 'own' },
	{ sku: 'B-2', prompt: '[[say:a sofa]]', error: 'none', input: 'old' },
];
const items = ROWS.map((json) => ({ json }));

it('texts and pictures of rows have the columns of their rows; what the result has, too, is in `input`', async () => {
	const execution = await execute([text({ options }), image({ options })], items);
	const [lamp, sofa] = execution.items();
	expect([lamp?.json, sofa?.json]).toMatchObject([
		{ sku: 'A-1', price: 1200, prompt: '[[say:a lamp]]', text: 'a lamp', input: { id: 'own' } },
		{ sku: 'B-2', prompt: '[[say:a sofa]]', text: 'a sofa', input: { error: 'none', input: 'old' } },
	]);
	expect(sofa?.json).not.toHaveProperty('error');
	expect(lamp?.json.id).not.toBe('own');
	const pictures = execution.items('Gateway 2');
	expect(pictures.map(({ json }) => [json.sku, json.text, json.state])).toStrictEqual([
		['A-1', 'a lamp', 'success'],
		['B-2', 'a sofa', 'success'],
	]);
	expect(pictures[0]?.json.input).toStrictEqual({ model: lamp?.json.model, input: { id: 'own' } });
});

it('error items have the columns of their rows', async () => {
	disturb(says('a lamp'), { kind: 'error', code: 'limit_exceeded' });
	const errors = (await execute(text({ options }, CONTINUE), items)).items();
	const error = expect.objectContaining({ httpCode: '422' }) as unknown;
	expect(errors[0]?.json).toStrictEqual({ ...ROWS[0], error });
	expect(errors[1]?.json).toMatchObject({ sku: 'B-2', text: 'a sofa' });
});

it('items of the error output are joined with their rows by n8n, and leave by it', async () => {
	disturb(says('a lamp'), { kind: 'error', code: 'limit_exceeded' });
	const execution = await execute(text({ options }, { onError: 'continueErrorOutput' }), items);
	expect(execution.items().map(({ json }) => json.sku)).toStrictEqual(['B-2']);
	expect(execution.failed().map(({ json }) => json)).toMatchObject([
		{ sku: 'A-1', error: { httpCode: '422' } },
	]);
});

it('files of the input are kept beside those of the result, whose names come first', async () => {
	const file = (name: string) => ({
		data: Buffer.from(name).toString('base64'),
		mimeType: 'text/plain',
		fileName: name,
	});
	const binary = { photo: file('photo.txt'), data: file('other.txt') };
	const execution = await execute(image({ options }), [{ json: { prompt: 'a cat' }, binary }]);
	const [output] = execution.items();
	expect(Object.keys(output?.binary ?? {}).sort()).toStrictEqual(['data', 'photo']);
	expect([output?.binary?.photo?.fileName, output?.binary?.data?.mimeType]).toStrictEqual([
		'photo.txt',
		'image/png',
	]);
});

it('a *Retry*, or the next try, gives kept results with the columns, and takes the option as no edit', async () => {
	disturb(says('a sofa'), { kind: 'error', code: 'limit_exceeded' });
	const failed = await execute(text({ options: {} }, RETRY_ON_FAIL), items);
	calm();
	const retried = await failed.retry({ options });
	expect(retried.items().map(({ json }) => [json.sku, json.text])).toStrictEqual([
		['A-1', 'a lamp'],
		['B-2', 'a sofa'],
	]);
	expect(gateway.charges()).toBe(2);
});
