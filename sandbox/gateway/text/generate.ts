/** Completes a text request: text, JSON or tool calls, within its limits. */
import { randomUUID } from 'node:crypto';
import type { TextModel } from '../catalogue/textModels';
import { marker, withoutMarkers } from './markers';
import { reasoningFor, replyTo, toolRounds, userText } from './reply';
import { sampleFor } from './schemaSample';
import { countTokens, firstTokens } from './tokens';
import type { Completion, TextCall, Tool, ToolCall } from './types';

/** Input tokens of a request: its messages, its tools and their schemas. */
export function inputTokens(call: TextCall): number {
	const messages = call.messages.reduce(
		(sum, message) => sum + countTokens(message.text) + message.attachmentTokens,
		0,
	);
	const tools = call.tools.reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
	return Math.max(1, messages + tools);
}

/** All choices of a request; the same request gets the same text. */
export function generate(call: TextCall, model: TextModel): Completion[] {
	return Array.from({ length: call.choices }, (_, choice) => completion(call, model, choice));
}

function completion(call: TextCall, model: TextModel, choice: number): Completion {
	const reasoning = reasoningText(call, model);
	const reasoningTokens = countTokens(reasoning);
	const room = call.maxTokens === null ? Infinity : call.maxTokens - reasoningTokens;
	const toolCalls = chooseTools(call).map((tool) => callOf(tool, call));
	if (toolCalls.length > 0) {
		const textTokens = toolCalls.reduce((sum, item) => sum + countTokens(item.name + item.arguments), 0);
		return {
			text: '',
			reasoning,
			toolCalls,
			finish: 'tool_calls',
			stopSequence: null,
			textTokens,
			reasoningTokens,
		};
	}
	const full = call.json === null ? replyTo(call, choice) : jsonReply(call, choice);
	const { text: stopped, stopSequence } = cutAtStop(full, call.stop);
	const text = firstTokens(stopped, room);
	const whole = text.length === stopped.length;
	const filtered = marker(userText(call), 'filter') !== null;
	return {
		text,
		reasoning,
		toolCalls,
		finish: !whole ? 'length' : filtered ? 'content_filter' : 'stop',
		stopSequence: whole ? stopSequence : null,
		textTokens: countTokens(text),
		reasoningTokens,
	};
}

/** Reasoning takes at most half of the output ceiling. */
function reasoningText(call: TextCall, model: TextModel): string {
	if (!(call.reasoning ?? model.reasons)) return '';
	const text = reasoningFor(call);
	return call.maxTokens === null ? text : firstTokens(text, Math.floor(call.maxTokens / 2));
}

function cutAtStop(text: string, stops: readonly string[]): { text: string; stopSequence: string | null } {
	const found = stops
		.filter((stop) => stop !== '' && text.includes(stop))
		.sort((a, b) => text.indexOf(a) - text.indexOf(b))[0];
	if (found === undefined) return { text, stopSequence: null };
	return { text: text.slice(0, text.indexOf(found)), stopSequence: found };
}

function jsonReply(call: TextCall, choice: number): string {
	const forced = marker(userText(call), 'say');
	if (forced !== null) return forced;
	const words = withoutMarkers(userText(call));
	if (call.json === 'object' || call.json === null) {
		return JSON.stringify({ answer: replyTo(call, choice), topic: words.slice(0, 80), confidence: 0.87 });
	}
	return JSON.stringify(sampleFor(call.json, words));
}

/** n8n's agent requests structured output through a tool with this name. */
const structuredOutputTool = 'format_final_json_response';

/** The tools that the completion calls: by the tool choice, or because the prompt mentions them. */
function chooseTools(call: TextCall): Tool[] {
	const { tools, toolChoice } = call;
	const [first] = tools;
	if (!first || toolChoice.mode === 'none') return [];
	if (toolChoice.mode === 'named') return tools.filter((tool) => tool.name === toolChoice.name);
	const prompt = userText(call);
	const mentioned = tools.filter((tool) => mentions(prompt, tool.name) || isToDraw(prompt, tool));
	if (toolChoice.mode === 'required') return [mentioned[0] ?? first];
	if (toolRounds(call) >= wantedRounds(prompt)) {
		return tools.filter((tool) => tool.name === structuredOutputTool);
	}
	if (call.parallelTools && /\bcall all (the )?tools\b/i.test(prompt)) return tools;
	if (mentioned[0]) return [mentioned[0]];
	return /\b(call|use) (the|a|your) tool\b|\[\[tool\]\]/i.test(prompt) ? [first] : [];
}

/** `[[rounds:N]]`: how often the model calls tools, one after the other. */
function wantedRounds(prompt: string): number {
	return Number(marker(prompt, 'rounds') ?? 1);
}

function mentions(text: string, name: string): boolean {
	const words = (value: string): string => value.toLowerCase().replace(/[_\s-]+/g, ' ');
	return name.length > 3 && words(text).includes(words(name));
}

/** People ask for a picture in many words, and a tool says what it makes in its name or its description. */
function isToDraw(text: string, { name, description }: Tool): boolean {
	const words = name.replaceAll('_', ' ');
	const makesPictures = /\b(draw|paint|generate|create)s? [^.]*\b(picture|image)\b/i;
	const isPainter =
		(/\b(picture|image)\b/i.test(words) && !/\banaly[sz]e\b/i.test(words)) || makesPictures.test(description);
	return isPainter && /\b(draw|paint|sketch)\b/i.test(text);
}

function callOf(tool: Tool, call: TextCall): ToolCall {
	const hint = withoutMarkers(userText(call));
	return {
		id: `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
		name: tool.name,
		arguments: JSON.stringify(sampleFor({ type: 'object', ...tool.schema }, hint)),
	};
}
