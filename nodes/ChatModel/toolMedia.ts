import type { Attachment, ChatMessage, ToolMessage } from '../shared/gateway/text/formats/request';
import { nameInUrl, typeByName } from '../shared/gateway/util/fileName';
import { asArray, asId, asObject, asText, parseJson, type Json } from '../shared/gateway/util/json';

/** The most images of one result: a list of tasks may have hundreds. */
const MAX_IMAGES = 10;

/**
 * Shows the model the images in the results of media tools, each once. They are in a message of the user after the
 * results: not every provider takes images in a result itself.
 */
export function withToolMedia(messages: Array<ChatMessage | ToolMessage>): Array<ChatMessage | ToolMessage> {
	const known = new Set<string>();
	const images: Attachment[] = [];
	return messages.flatMap<ChatMessage | ToolMessage>((message, index) => {
		if (message.role !== 'tool') return [message];
		for (const url of imagesIn(parseJson(message.text)).slice(0, MAX_IMAGES)) {
			if (!known.has(url)) images.push({ kind: 'image', source: { url } });
			known.add(url);
		}
		// The results of tools that were called together belong together.
		if (images.length === 0 || messages[index + 1]?.role === 'tool') return [message];
		const text = 'The images of the tool results above, in their order:';
		return [message, { role: 'user', text, attachments: images.splice(0) }];
	});
}

/** The URLs of images in the tasks of a result. Agents put them in a list, and older ones the list in an object. */
function imagesIn(value: Json | undefined, levels = 4): string[] {
	const { taskId, resultUrls } = asObject(value) ?? {};
	const urls = asArray(resultUrls).flatMap((url) => asText(url) ?? []);
	if (asId(taskId) !== undefined && urls.length > 0) return urls.filter(isImage);
	const children = Array.isArray(value) ? value : Object.values(asObject(value) ?? {});
	return levels > 0 ? children.flatMap((child) => imagesIn(child, levels - 1)) : [];
}

/** Also a URL without an extension, as signed ones are: a model that rejects it gets the URLs alone. */
function isImage(url: string): boolean {
	const name = nameInUrl(url) ?? '';
	return /^https?:/i.test(url) && (!name.includes('.') || (typeByName(name) ?? '').startsWith('image/'));
}
