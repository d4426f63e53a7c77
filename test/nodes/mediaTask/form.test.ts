import {
	continueOnFail,
	catalogue,
	creations,
	envelope,
	form,
	gateway,
	model,
	painter,
	run,
	TASKS,
} from '../../helpers/media';
import { useNock } from '../../helpers/nock';

useNock();

const SCHEMA = {
	type: 'object',
	properties: {
		prompt: { type: 'string', title: 'Prompt', minLength: 1, maxLength: 20 },
		n: { type: 'integer', title: 'Number', minimum: 1, maximum: 4, default: 1 },
		guidance: { type: 'number' },
		transparent: { type: 'boolean' },
		size: { enum: ['small', 'large'] },
		duration: { type: 'integer', enum: [5, 10] },
		tags: { type: 'array', items: { type: 'string' } },
		watermark: { type: 'object', properties: { text: { type: 'string' } } },
		seed: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
	},
	required: ['prompt'],
	additionalProperties: false,
};

const filled = (value: object) => ({ model, inputMode: 'form', input: form(value) });

describe('the form of a model', () => {
	it('sends each value in the model’s type, and nothing that is not set', async () => {
		catalogue([painter(SCHEMA)]);
		const sent = creations();
		const value = {
			prompt: '2024',
			n: '={{ "3" }}',
			guidance: '={{ $json.g }}',
			transparent: '={{ "false" }}',
			size: 'large',
			duration: '={{ "10" }}',
			tags: '["a", "b"]',
			watermark: '={{ { text: "x" } }}',
			seed: null,
		};
		const { error } = await run('create', filled(value), { items: [{ json: { g: '7.5' } }] });
		expect(error).toBeUndefined();
		expect(sent[0]?.body.input).toStrictEqual({
			prompt: '2024',
			n: 3,
			guidance: 7.5,
			transparent: false,
			size: 'large',
			duration: 10,
			tags: ['a', 'b'],
			watermark: { text: 'x' },
		});
	});

	it('sends each item’s own values', async () => {
		catalogue([painter(SCHEMA)]);
		const sent = creations();
		const items = ['a', 'b', 'c'].map((p) => ({ json: { p } }));
		await run('create', filled({ prompt: '={{ $json.p }}' }), { items });
		expect(sent.map(({ body }) => body.input)).toStrictEqual([
			{ prompt: 'a' },
			{ prompt: 'b' },
			{ prompt: 'c' },
		]);
	});

	it('sends what it can convert: the gateway checks it, and its words are the error', async () => {
		catalogue([painter(SCHEMA)]);
		gateway()
			.post(TASKS)
			.reply(422, envelope(null, 422, 'input.n: must be <= 4'));
		const value = { prompt: 'a', n: '9', size: 'huge', voice: 'anna' };
		const { items } = await run('create', filled(value), continueOnFail);
		expect(items[0]?.json.error).toMatchObject({
			message: "'Number': must be at most 4",
			description: expect.stringContaining('Correct the field that it names') as string,
			httpCode: '422',
			retryable: false,
		});
		expect(items[0]?.json.error).not.toMatchObject({ mayBeCharged: true });
	});

	it('requests the catalogue once in a run', async () => {
		const count = catalogue([painter(SCHEMA)]);
		creations();
		const items = Array.from({ length: 20 }, () => ({ json: {} }));
		await run('create', filled({ prompt: 'a' }), { items });
		expect(count.requests).toBe(1);
	});
});

describe('input as JSON', () => {
	const json = { model, inputMode: 'json', inputJson: '{"prompt": "2024", "n": "3", "x": null}' };

	it('is sent unchanged, also against the schema', async () => {
		catalogue([painter(SCHEMA)]);
		const sent = creations();
		await run('create', json);
		expect(sent[0]?.body.input).toStrictEqual({ prompt: '2024', n: '3', x: null });
	});
});
