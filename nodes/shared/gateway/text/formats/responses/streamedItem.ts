import { asObjects, asText, type Json, type JsonObject } from '../../../util/json';
import { TextBuffer } from '../textBuffer';
import type { ResponsesEvent } from './types';

/** The texts that arrive in chunks: the list of their parts, and the type of such a part. */
const TEXTS: ReadonlyMap<string, { list: 'content' | 'summary'; type: string }> = new Map([
	['response.output_text', { list: 'content', type: 'output_text' }],
	['response.refusal', { list: 'content', type: 'refusal' }],
	['response.reasoning_summary_text', { list: 'summary', type: 'summary_text' }],
]);

/** A part of an item: as received, and what its other events say. */
interface StreamedPart {
	received: JsonObject;
	type?: string;
	text: TextBuffer;
	annotations: JsonObject[];
}

/** An output item of a stream, for responses whose closing event does not repeat the output (§6.1). */
export class StreamedItem {
	private item: JsonObject = {};
	private isDone = false;
	private args: TextBuffer | undefined;
	private readonly parts = {
		content: new Map<number, StreamedPart>(),
		summary: new Map<number, StreamedPart>(),
	};

	read(event: ResponsesEvent): void {
		// Such as `response.output_text` and `delta`.
		const [, subject = '', action] = /^(.*)\.(\w+)$/.exec(asText(event.type) ?? '') ?? [];
		const text = TEXTS.get(subject);
		if (text) {
			const part = this.part(text.list, text.list === 'content' ? event.content_index : event.summary_index);
			part.type = text.type;
			if (action === 'done') part.text.replace(event.text ?? event.refusal);
			else part.text.add(event.delta);
		} else if (subject === 'response.content_part') {
			this.part('content', event.content_index).received = event.part ?? {};
		} else if (subject === 'response.output_text.annotation') {
			this.part('content', event.content_index).annotations.push(event.annotation ?? {});
		} else if (subject === 'response.function_call_arguments') {
			this.args ??= new TextBuffer();
			if (action === 'done') this.args.replace(event.arguments);
			else this.args.add(event.delta);
		} else if (subject === 'response.output_item') {
			this.item = filled(event.item ?? {}, this.item);
			this.isDone = action === 'done';
		}
	}

	private part(list: 'content' | 'summary', index = 0): StreamedPart {
		const known = this.parts[list].get(index) ?? { received: {}, text: new TextBuffer(), annotations: [] };
		this.parts[list].set(index, known);
		return known;
	}

	/** Whether it calls a tool whose arguments are lost. A complete call of a tool without parameters may have none. */
	lacksArguments(): boolean {
		const { type, arguments: args } = this.assembled();
		return type === 'function_call' && isMissing(args) && !(this.isDone && args === '');
	}

	/** The item of its last event, with what that lacks from the events before. */
	assembled(): JsonObject {
		const content = this.list('content');
		const summary = this.list('summary');
		const args = this.args?.text();
		const [type] = [
			...(content.length > 0 ? ['message'] : []),
			...(summary.length > 0 ? ['reasoning'] : []),
			...(args === undefined ? [] : ['function_call']),
		];
		const streamed = {
			...(type === undefined ? {} : { type }),
			...(args === undefined ? {} : { arguments: args }),
		};
		return {
			...filled(this.item, streamed),
			...(content.length > 0 ? { content } : {}),
			...(summary.length > 0 ? { summary } : {}),
		};
	}

	/** The parts of the item, each with what it lacks from its events. */
	private list(name: 'content' | 'summary'): JsonObject[] {
		const parts = asObjects(this.item[name]);
		for (const [index, { received, type = '', text, annotations }] of this.parts[name]) {
			const streamed = {
				...(type === '' ? {} : { type, [type === 'refusal' ? 'refusal' : 'text']: text.text() }),
				...(annotations.length > 0 ? { annotations } : {}),
			};
			parts[index] = filled(parts[index] ?? {}, filled(received, streamed));
		}
		// An index may be missing.
		return parts.filter((part) => part !== undefined);
	}
}

function isMissing(value: Json | undefined): boolean {
	return (value ?? '') === '' || (Array.isArray(value) && value.length === 0);
}

/** An object, with what it lacks from another one. */
function filled(object: JsonObject, other: JsonObject): JsonObject {
	const known = Object.entries(object).filter(([, value]) => !isMissing(value));
	return { ...object, ...other, ...Object.fromEntries(known) };
}
