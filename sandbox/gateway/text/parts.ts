/** The parts of messages by format: those of §4.2 and §2, and those that the official clients know. */
import { byType, foreign, object, text } from '../fields';
import type { JsonSchema } from '../jsonSchema';

const audio = object({ input_audio: object({ data: text, format: text }, 'data', 'format') }, 'input_audio');
const refusal = object({ refusal: text }, 'refusal');
const url = object({ url: text }, 'url');
const anything: JsonSchema = {};

const plain = object({ text }, 'text');
/** §4.2: of the values of `cache_control` there is one. */
const cached = object({ text, cache_control: object({ type: { enum: ['ephemeral'] } }, 'type') }, 'text');

/** The fields of each type. */
const partTypes = {
	chat: {
		text: cached,
		image_url: object({ image_url: url }, 'image_url'),
		input_audio: audio,
		video_url: object({ video_url: url }, 'video_url'),
		file: object({ file: object({ filename: text, file_data: text }) }, 'file'),
		refusal,
	},
	responses: {
		input_text: plain,
		input_image: object({ image_url: text }),
		input_file: object({ filename: text, file_data: text, file_url: text }),
		input_audio: audio,
		output_text: plain,
		refusal,
		reasoning_text: plain,
		summary_text: plain,
		computer_screenshot: anything,
	},
	messages: {
		text: plain,
		image: object({ source: object() }, 'source'),
		document: object({ source: object() }, 'source'),
		search_result: anything,
		thinking: anything,
		redacted_thinking: anything,
		tool_use: object({ id: text, name: text, input: object() }, 'id', 'name', 'input'),
		tool_result: object({ tool_use_id: text }, 'tool_use_id'),
		tool_reference: anything,
		server_tool_use: anything,
		web_search_tool_result: anything,
		web_fetch_tool_result: anything,
		code_execution_tool_result: anything,
		container_upload: anything,
	},
} satisfies Record<string, Record<string, JsonSchema>>;

/** All types, of which none is an item of a conversation. */
export const allPartTypes = [...new Set(Object.values(partTypes).flatMap((types) => Object.keys(types)))];

/** A part of a format: types of the other formats are refused, and types that none of them knows pass. */
export function partOf(format: keyof typeof partTypes): JsonSchema {
	const own: Record<string, JsonSchema> = partTypes[format];
	return byType(own, foreign(...allPartTypes.filter((type) => !Object.hasOwn(own, type))));
}
