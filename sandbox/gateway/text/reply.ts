/** The text of a completion: always the same for the same request, and about its prompt. */
import { marker, withoutMarkers } from './markers';
import type { TextCall, ChatMessage } from './types';

const openings = [
	'Here is a thought on that:',
	'Gladly.',
	'In short:',
	'Let us look at it closely.',
	'A fair question.',
];
const moods = [
	'bathed in warm evening light, with a soft haze in the distance',
	'under a dramatic sky, every texture crisp and tangible',
	'in delicate pastel tones, quiet and dreamlike',
	'with bold colours and strong contrasts, full of movement',
];
/** What is said in each recording. */
const spoken =
	'Hello, this is Anna. Can you move my appointment from Tuesday to Thursday afternoon, please? Thank you!';
const filler =
	'The river keeps its own time, and the town on its bank has learned to wait with it. Boats come in with the mist and leave with the light. ';

/** The system instructions of a request, in one text. */
export function systemText(call: TextCall): string {
	return call.messages
		.filter((message) => message.role === 'system')
		.map((message) => message.text)
		.join('\n');
}

/** Where the user's last message is. Files after the results of tools belong to these. */
export function lastUserIndex({ messages }: TextCall): number {
	return messages.findLastIndex(
		({ role, attachments }, index) =>
			role === 'user' && (attachments.length === 0 || messages[index - 1]?.role !== 'tool'),
	);
}

export function userText(call: TextCall): string {
	return call.messages[lastUserIndex(call)]?.text ?? '';
}

/** Results of tools after the user's last message. */
export function toolResults(call: TextCall): ChatMessage[] {
	return call.messages.slice(lastUserIndex(call) + 1).filter((message) => message.role === 'tool');
}

/** How often tools have been called since the user's last message. */
export function toolRounds(call: TextCall): number {
	const roles = call.messages.slice(lastUserIndex(call) + 1).map(({ role }) => role);
	return roles.filter((role, index) => role === 'tool' && roles[index - 1] !== 'tool').length;
}

/** The full text of the completion; `choice` distinguishes the choices of one request. */
export function replyTo(call: TextCall, choice: number): string {
	const prompt = userText(call);
	const system = systemText(call);
	const forced = marker(prompt, 'say') ?? exactWish(prompt) ?? exactWish(system);
	if (forced !== null) return forced;
	if (marker(prompt, 'system') !== null) return `My instructions are: ${system || '(none)'}`;
	const long = Number(marker(prompt, 'long') ?? Number.NaN);
	if (Number.isInteger(long)) return filler.repeat(Math.ceil((long * 4) / filler.length)).slice(0, long * 4);
	const results = toolResults(call);
	if (results.length > 0) return aboutResults(results, call);
	const topic = shorten(withoutMarkers(prompt), 600) || 'nothing in particular';
	const number = hash(`${prompt}${system}`) + choice + call.seed;
	return asksForImagePrompt(`${system} ${prompt}`)
		? imagePrompt(topic, number)
		: conversation(call, topic, number);
}

/** "Answer with exactly: X" in a prompt. */
function exactWish(text: string): string | null {
	const match = /(?:answer|reply|respond) with exactly:?\s+(.+)$/im.exec(text);
	return match?.[1]?.replace(/^["“]|["”]$/g, '').trim() ?? null;
}

function asksForImagePrompt(text: string): boolean {
	return /image prompt|prompt for (an|the) (image|picture)|(image|picture) description|describe (an|the) (image|picture)|промпт|описание (картинки|изображения)/i.test(
		text,
	);
}

function imagePrompt(topic: string, number: number): string {
	const subject = topic.replace(/^.*?\b(prompt|description)\b\s*(about|of|for|showing)?[:\s]+/i, '') || topic;
	return `${subject}, ${pick(moods, number)}; wide composition, fine detail, painterly, natural depth of field.`;
}

function conversation(call: TextCall, topic: string, number: number): string {
	const attachments = call.messages.flatMap((message) => message.attachments);
	if (attachments.includes('audio') && /\btranscribe\b/i.test(topic)) return spoken;
	const seen = attachments.length > 0 ? ` I also received: ${attachments.join(', ')}.` : '';
	return `${pick(openings, number)} You wrote: "${topic}". This is the sandbox's answer, variation ${number % 97}.${seen}`;
}

function aboutResults(results: readonly ChatMessage[], call: TextCall): string {
	const told = results.map(({ text }) => aboutMedia(text) ?? aboutBalance(text));
	const texts = results.map((message) => shorten(message.text, 2000)).join(' | ');
	const isKnown = told.every((sentence) => sentence !== undefined);
	const answer = isKnown ? told.join(' ') : `The tool answered: ${texts}. That settles it.`;
	const files = call.messages.slice(lastUserIndex(call) + 1).flatMap(({ attachments }) => attachments);
	const seen = files.length > 0 ? ` I can see: ${files.join(', ')}.` : '';
	return `${answer}${seen}`;
}

/** What a tool made, as people say it; undefined for other tools. */
function aboutMedia(result: string): string | undefined {
	const json = result.replaceAll('\\"', '"');
	const urls = /"resultUrls":\s*\[([^\]]+)\]/.exec(json)?.[1]?.match(/https?:[^"\s]+/g);
	if (!urls) return undefined;
	const price = /"priceRub":\s*([\d.]+)/.exec(json)?.[1];
	const cost = price === undefined ? '' : `\nThe price was ₽${price}.`;
	return `Here ${urls.length === 1 ? 'it is' : 'they are'}: ${urls.join('\n')}${cost}`;
}

/** What is left in the wallet, as people say it; undefined for other tools. */
function aboutBalance(result: string): string | undefined {
	const amount = /"amountRub":\s*([\d.]+)/.exec(result.replaceAll('\\"', '"'))?.[1];
	return amount === undefined ? undefined : `₽${amount} are left in the wallet.`;
}

export function reasoningFor(call: TextCall): string {
	const topic = shorten(withoutMarkers(userText(call)), 120) || 'an empty message';
	const rounds = toolRounds(call);
	const seen = rounds === 0 ? '' : ` Results of tools so far: ${rounds}.`;
	return `The user brings up: ${topic}. A short and friendly answer fits; nothing needs to be looked up.${seen}`;
}

function shorten(text: string, length: number): string {
	return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

function pick(choices: readonly string[], number: number): string {
	return choices[number % choices.length] ?? '';
}

/** A small stable number from a text (FNV-1a). */
export function hash(text: string): number {
	let value = 0x811c9dc5;
	for (const byte of Buffer.from(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
	return value >>> 8;
}
