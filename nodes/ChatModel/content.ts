import { asObject, asObjects, asText, type JsonObject } from '../shared/gateway/json';

/**
 * A part of a LangChain message in the shape that n8n's SDK reads. It knows LangChain's present shapes of files and
 * drops all others without a word, among them the pictures that n8n's own nodes put into messages.
 *
 * @param part `image_url` or a file of LangChain's former shape; anything else comes back as it is
 */
export function standardPart(part: JsonObject): JsonObject {
	if (part.type === 'image_url') {
		const url = asText(asObject(part.image_url)?.url) ?? asText(part.image_url) ?? '';
		// Told by the type alone where there is only an address.
		return { type: 'image', mimeType: /^data:([^;,]+)/i.exec(url)?.[1] ?? 'image/*', url };
	}
	const { mime_type: mimeType } = part;
	return typeof mimeType === 'string' && part.mimeType === undefined ? { ...part, mimeType } : part;
}

/** The message with its parts in the shape that n8n's SDK reads; the message itself stays as it is. */
export function standardMessage<M extends object>(message: M): M {
	const content: unknown = Reflect.get(message, 'content');
	if (!Array.isArray(content)) return message;
	const parts = asObjects(content);
	const standard = parts.map(standardPart);
	if (parts.length !== content.length || standard.every((part, index) => part === parts[index]))
		return message;
	const copy = Object.assign(Object.create(Object.getPrototypeOf(message) as object) as M, message);
	return Object.assign(copy, { content: standard });
}
