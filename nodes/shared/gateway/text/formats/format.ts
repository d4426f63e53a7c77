import type { Endpoint } from '../../errors/endpoints';
import { type Json, type JsonObject } from '../../util/json';
import type { Completion, UsagePaths } from './completion';
import type { AttachmentKind, OutputRequest, TextRequest } from './request';

/** The longest response, in tokens, where one must be given (§4.3): enough for an article. */
export const DEFAULT_MAX_TOKENS = 4096;

/** What the cost of a call depends on, in the fields of its body. */
export interface CostFields {
	/** The longest response; a call whose cost is limited gets the first of them. */
	limits: readonly [string, ...string[]];
	prompts: readonly string[];
	/** Types of parts and items that are text. All others may be files, whose tokens are not their bytes. */
	texts: readonly string[];
	/** Fields that stand for earlier output, whose length is not known. */
	earlier: readonly string[];
	/** What providers describe to the model in more tokens. */
	described: readonly string[];
	/** What costs more than tokens, or tokens that nobody can count, and the values or types that do not. */
	extras: ReadonlyArray<{ field: string; name: string; free?: ReadonlyArray<Json | undefined> }>;
}

/** Tools that the gateway runs: they have another type than those of the user. */
export const BUILT_IN_TOOLS = {
	field: 'tools',
	name: 'built-in tools',
	free: [undefined, 'function', 'custom'],
};

/** A wire format: pure conversions, no n8n and no network. All code of a format is in its folder. */
export interface TextFormat {
	name: string;
	label: string;
	description: string;
	endpoint: Endpoint;
	path: string;
	headers: Record<string, string>;
	cost: CostFields;
	usage: UsagePaths;
	/** Whether it can require tool arguments to match their schema exactly. */
	hasStrictTools?: true;
	/** Whether it can require JSON output to match its schema exactly. */
	hasStrictSchema?: true;
	/** Whether it gets JSON from a tool that has the name of the output. */
	hasJsonTool?: true;
	/** Whether a request can say up to where the conversation is cached. */
	hasCachePoints?: true;
	/** The kinds of attachments that it has a part for: as a URL too, or only as a file. */
	attachments: Readonly<Partial<Record<AttachmentKind, 'url or file' | 'file'>>>;
	/** Whether models of the format read documents of a type; by default, of any. */
	takesDocument?(mimeType: string): boolean;
	toBody(request: TextRequest): JsonObject;
	/** Reads a complete response; throws for a failed generation and a body of another shape. */
	readCompletion(body: JsonObject, output: OutputRequest): Completion;
	createStream(output: OutputRequest): CompletionStream;
}

export interface CompletionStream {
	/** Reads an event; returns the text that it adds. Throws for an error (§6). */
	read(event: JsonObject): string;
	/** Whether the completion is closed, so that no part can be missing; `sawDone`: whether `[DONE]` has come. */
	isComplete(sawDone: boolean): boolean;
	readonly isFinished: boolean;
	/** The body as it would be without streaming, of what has come so far. */
	body(): JsonObject;
}
