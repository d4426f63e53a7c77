import { textFormat, textFormats } from '../../../../nodes/shared/gateway/text/formats';
import { ATTACHMENT_KINDS } from '../../../../nodes/shared/gateway/text/formats/request';
import { invalidInputOf } from './support';

it('the formats are those of the specification, the most widely supported first', () => {
	expect(textFormats.map(({ name, label, path, headers }) => ({ name, label, path, headers }))).toStrictEqual(
		[
			{ name: 'chat', label: 'Chat Completions', path: '/chat/completions', headers: {} },
			{ name: 'responses', label: 'Responses', path: '/responses', headers: {} },
			{
				name: 'messages',
				label: 'Messages',
				path: '/messages',
				headers: { 'anthropic-version': '2023-06-01' },
			},
		],
	);
});

it.each(textFormats)('$name is found by its name', (format) => {
	expect(textFormat(format.name)).toBe(format);
});

it('an unknown name is rejected as the value of the parameter', () => {
	const { param, message } = invalidInputOf(() => textFormat('soap'));
	expect(param).toBe('format');
	expect(message).toContain('soap');
});

it.each([
	['chat', { image: 'url or file', audio: 'file', video: 'url or file', file: 'file' }],
	['responses', { image: 'url or file', audio: 'file', file: 'url or file' }],
	['messages', { image: 'url or file', file: 'url or file' }],
])('%s accepts these kinds of attachments', (format, attachments) => {
	expect(textFormat(format).attachments).toStrictEqual(attachments);
});

it('attachments have the kinds of the specification', () => {
	expect(ATTACHMENT_KINDS).toStrictEqual(['image', 'audio', 'video', 'file']);
});
