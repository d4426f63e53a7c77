import * as sandbox from '../../../sandbox/gateway/catalogue/mediaSchemas';
import { inputForm, promptField } from '../../../nodes/shared/gateway/media/inputSchema';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

const nameOf = (schema: object) => promptField(inputForm(schema as JsonObject))?.name;

const text = { type: 'string' };
const of = (properties: Record<string, Json>, required: string[] = []) =>
	nameOf({ type: 'object', properties, required });

test.each([
	['image', sandbox.canvas, 'prompt'],
	['image to edit', sandbox.retouch, 'prompt'],
	['video', sandbox.motion, 'prompt'],
	['music', sandbox.song, 'prompt'],
	['speech', sandbox.speech, 'text'],
])('a model for %s has its prompt', (_, schema, name) => {
	expect(nameOf(schema)).toBe(name);
});

test('the usual names come first, whatever the order of the fields', () => {
	expect(of({ style: text, text, Prompt: text }, ['style'])).toBe('Prompt');
});

test('a field without a usual name is the prompt if it is the only text that is required', () => {
	expect(of({ style: text, lines: text }, ['lines'])).toBe('lines');
	expect(of({ style: text, lines: text }, ['lines', 'style'])).toBeUndefined();
	expect(of({ style: text, lines: text })).toBeUndefined();
});

test.each<[string, Json]>([
	['choices', { type: 'string', enum: ['a', 'b'] }],
	['a URL', { type: 'string', format: 'uri' }],
	['a number', { type: 'number' }],
	['a list', { type: 'array', items: { type: 'string' } }],
])('a field with %s is no prompt', (_, schema) => {
	expect(of({ prompt: schema }, ['prompt'])).toBeUndefined();
});

test('a nullable text is a prompt', () => {
	expect(of({ prompt: { anyOf: [text, { type: 'null' }] } })).toBe('prompt');
});
