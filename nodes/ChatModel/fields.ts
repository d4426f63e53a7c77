import { outputParameters, readOutput, schemaOptions } from '../shared/fields/outputFormat';
import { contextOptions, optionFields, optionGroup, textOptions } from '../shared/fields/textOptions';
import {
	askedModel,
	cachePrompt,
	extraBody,
	fallbackModels,
	format,
	stream,
	textModel,
	toolChoiceParameters,
} from '../shared/fields/textRequest';
import { textFormat } from '../shared/gateway/text/formats';
import { omit } from '../shared/gateway/util/json';
import { collection } from '../shared/params/groups';
import { flag, notice } from '../shared/params/kinds';
import type { Values } from '../shared/params/parameter';
import { maxCostRub, requestOptions } from '../shared/run/settings';

const toolChoiceOptions = {
	...toolChoiceParameters,
	toolChoice: toolChoiceParameters.toolChoice.with({
		description:
			'Whether the model may, must or must not call one of its tools, if it has any. After the result of a tool the model decides again, so that the agent can respond.',
	}),
};

const showToolMedia = flag({
	displayName: 'Show Tool Images',
	default: true,
	description:
		'Whether the model sees the images that Gateway Media Task makes as a tool, not only their URLs. They cost tokens in each request. A model that rejects them gets the URLs.',
}).optional();

export const parameters = {
	connectionNotice: notice("Connect this node to the 'Chat Model' input of an AI Agent or a chain").with({
		typeOptions: { containerClass: 'ndv-connection-hint-notice' },
	}),
	model: textModel,
	format,
	...outputParameters,
	outputFormat: outputParameters.outputFormat.with({
		description:
			'What the model responds with, as text or JSON text. An output parser of the agent or chain needs Text.',
	}),
	options: collection({
		// Agents take text, and have the conversation themselves.
		...omit(textOptions, 'audioAndImages'),
		context: optionGroup(textOptions.context.label, omit(contextOptions, 'previousResponseId')),
		...schemaOptions,
		...toolChoiceOptions,
		cachePrompt,
		extraBody,
		fallbackModels,
		maxCostRub,
		showToolMedia,
		stream: stream.with({
			description:
				'Whether to receive the response while it is generated, which may take 15 minutes instead of 5. Without this option, the model streams when the agent or chain asks for it.',
		}),
		...requestOptions,
	}),
};

export type ModelSettings = ReturnType<typeof readSettings>;

export function readSettings(params: Values<typeof parameters>) {
	const { options } = params;
	const usedFormat = textFormat(params.format);
	const { extraBody: extra = {} } = options;
	return {
		format: usedFormat,
		model: askedModel(params.model, extra),
		fields: optionFields(options, usedFormat),
		output: readOutput(params),
		/** For requests whose agent or chain makes no choice of tools. */
		toolChoice: options,
		cachesPrompt: usedFormat.hasCachePoints && options.cachePrompt === true,
		extraBody: extra,
		maxCostRub: options.maxCostRub,
		fallbackModels: options.fallbackModels ?? [],
		showToolMedia: options.showToolMedia,
		/** `undefined`: as the agent or chain asks. */
		stream: options.stream,
	};
}
