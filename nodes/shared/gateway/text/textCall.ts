import type { GatewayRequest } from '../client/client';
import type { Feature } from '../errors/texts';
import { MAX_MEDIA_BYTES, MAX_TEXT_BYTES } from '../client/transport';
import { asObject, asObjects, deepMerge, omit, type JsonObject } from '../util/json';
import { InvalidInputError } from '../errors/errors';
import { textFormats } from './formats';
import type { TextFormat } from './formats/format';
import type { AttachmentKind, TextRequest } from './formats/request';

export type TextCall = GatewayRequest & { json: JsonObject };

/** The body of a request to a text model; `extraBody` is merged into it last, except how the response is read. */
export function textBody(format: TextFormat, request: TextRequest, extraBody: JsonObject): JsonObject {
	const { conversation } = request;
	const messages = conversation.kind === 'messages' ? conversation.messages : [];
	for (const message of messages) {
		const attachments = message.role === 'tool' ? [] : (message.attachments ?? []);
		for (const { kind, source } of attachments)
			if ('url' in source) checkUrl(format, kind);
			else if (kind !== 'image') checkDocument(format, source);
	}
	return deepMerge(format.toBody(request), omit(extraBody, 'stream'));
}

/** @throws {InvalidInputError} for a file that models of the format do not read */
export function checkDocument(
	{ label, takesDocument }: TextFormat,
	{ mimeType, fileName = 'file' }: { mimeType: string; fileName?: string | undefined },
): void {
	if (takesDocument?.(mimeType) !== false) return;
	throw new InvalidInputError(
		`The API format ${label} takes PDF and text files only, not "${fileName}"`,
		`Put its text into the prompt (n8n's Extract from File node reads it), save it as PDF, or choose the API format ${textFormats[0].label}.`,
		'attachments',
	);
}

/** @throws {InvalidInputError} for a kind of file that the format takes only with its content */
function checkUrl({ label, attachments }: TextFormat, kind: AttachmentKind): void {
	if (attachments[kind] === 'url or file') return;
	throw new InvalidInputError(
		`The API format ${label} takes no URL of ${kind === 'file' ? 'a file' : kind}`,
		'Put the content of the file into the message, as base64 text, or choose another API format.',
		'attachments',
	);
}

export function textCall({ endpoint, path, headers }: TextFormat, json: JsonObject): TextCall {
	const features: Feature[] = [];
	if (asksForSchema(json)) features.push('jsonSchema');
	if ((json.previous_response_id ?? null) !== null) features.push('previousResponse');
	const maxBytes = asksForMedia(json) ? MAX_MEDIA_BYTES : MAX_TEXT_BYTES;
	return { endpoint, features, kind: 'charge', method: 'POST', path, headers, json, maxBytes };
}

/** Whether the model is sent a JSON Schema of its response (§4.1, §4.2). */
function asksForSchema({ response_format: ofChat, text }: JsonObject): boolean {
	return [ofChat, asObject(text)?.format].some((format) => asObject(format)?.type === 'json_schema');
}

/** Whether the response may hold sound or pictures. */
export function asksForMedia({ modalities, audio, image_config: images, tools }: JsonObject): boolean {
	const makesImages = asObjects(tools).some(({ type }) => type === 'image_generation');
	const asks = Array.isArray(modalities) ? modalities.some((one) => one !== 'text') : modalities;
	return makesImages || [asks || undefined, audio, images].some((field) => field !== undefined);
}
