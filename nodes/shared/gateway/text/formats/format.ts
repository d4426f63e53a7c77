import type { EndpointGroup } from '../../errors/texts';
import type { JsonObject } from '../../util/json';
import type { Completion } from './completion';
import type { AttachmentKind, OutputRequest, TextRequest } from './request';

/** A wire format: pure conversions, no n8n and no network. Everything a format knows stands in its folder. */
export interface TextFormat {
	/** Value of the node's `format` parameter. */
	name: string;
	/** What the panel calls it. */
	label: string;
	description: string;
	group: EndpointGroup;
	/** Below the base URL. */
	path: string;
	headers: Record<string, string>;
	/** The paths of the options that this format has, by option; see {@link optionPaths}. */
	options: Readonly<Record<string, string>>;
	/** Whether it can ask for arguments of a tool that fit their schema exactly. */
	hasStrictTools: boolean;
	/** Whether it can ask for JSON that fits its schema exactly. */
	hasStrictSchema: boolean;
	/** The kinds of attachments that have a part in this format: as an address too, or only as the file itself. */
	attachments: Readonly<Partial<Record<AttachmentKind, 'url or file' | 'file'>>>;
	/**
	 * Builds the request body.
	 *
	 * @throws {InvalidInputError} for a conversation that the format cannot express
	 */
	toBody(request: TextRequest): JsonObject;
	/**
	 * Reads a complete answer; finds what the model said wherever it stands.
	 *
	 * @param output what had been asked for
	 * @throws {ApiError} when the answer tells of a failed generation, or is none
	 */
	readCompletion(body: JsonObject, output: OutputRequest): Completion;
	/** Begins to put together the answer of a stream. */
	createStream(output: OutputRequest): CompletionStream;
}

/** Puts a streamed answer together, event by event. */
export interface CompletionStream {
	/**
	 * Takes the payload of the next event. Unknown ones change nothing.
	 *
	 * @returns the text that it adds to the answer, to be shown while it arrives
	 * @throws {ApiError} for the event of a failure (§6)
	 */
	read(event: JsonObject): string;
	/**
	 * Whether the event that closes the answer has come, so that nothing of it can be missing at the end.
	 *
	 * @param sawDone whether the frame `[DONE]` has come
	 */
	isComplete(sawDone: boolean): boolean;
	/** Whether nothing follows that could change the answer. */
	isFinished(): boolean;
	/** Whether a charge may stand for what has come so far (§6.1: in the responses format only for a whole answer). */
	mayBeCharged(): boolean;
	/** The answer as it would have come in one piece; only when it is complete. */
	body(): JsonObject;
}
