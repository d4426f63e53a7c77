import { inputModalities } from '../../../nodes/shared/gateway/text/inputModalities';
import type { Json, JsonObject } from '../../../nodes/shared/gateway/util/json';

const of = (record: JsonObject) => inputModalities({ id: 'm', record });

it.each<[string, JsonObject, string[]]>([
	['its own list', { input_modalities: ['text', 'image'] }, ['text', 'image']],
	['the list of its architecture', { architecture: { input_modalities: ['text'] } }, ['text']],
	[
		'its own list first',
		{ input_modalities: ['text'], architecture: { input_modalities: ['text', 'audio'] } },
		['text'],
	],
	['words in any case', { input_modalities: ['Text', ' IMAGE '] }, ['text', 'image']],
	['one word', { input_modalities: 'text' }, ['text']],
	[
		'all words',
		{ input_modalities: ['text', 'image', 'audio', 'video', 'file'] },
		['text', 'image', 'audio', 'video', 'file'],
	],
])('a record says what the model takes: %s', (_, record, modalities) => {
	expect(of(record)).toStrictEqual(modalities);
});

it.each<Json>([null, [], [''], [7], {}, 'text->text', ['text', 'document']])(
	'a record with the list %j does not say it',
	(list) => {
		expect(of({ input_modalities: list })).toBeUndefined();
		expect(of({ architecture: { input_modalities: list } })).toBeUndefined();
		expect(of({ architecture: list })).toBeUndefined();
	},
);

it('a record without a list does not say it', () => expect(of({})).toBeUndefined());
