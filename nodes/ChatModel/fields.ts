import type { INodeProperties } from 'n8n-workflow';

import { maxRetriesOption, textTimeoutOption } from '../shared/run/settings';
import { textOptions } from '../shared/fields/textOptions';
import { extraBodyField, formatField, textModelField } from '../shared/fields/textRequest';

/** Options whose effect an agent has no place for, or that take the conversation out of its hands. */
const NOT_FOR_AGENTS: ReadonlySet<string> = new Set([
	'n',
	'logprobs',
	'topLogprobs',
	'modalities',
	'audioVoice',
	'audioFormat',
	'imageConfigQuality',
	'imageConfigSize',
	'include',
	'background',
	'previousResponseId',
	'conversation',
	'streamOptions',
	// Goes on with its own thoughts only, and those an agent does not hand back.
	'thinking',
]);

const PLUGINS = 'Plugins of the gateway to enable, as a list';

const options = [
	...textOptions
		.filter(({ name }) => !NOT_FOR_AGENTS.has(name))
		// The model has no output of its own that could show what they cost.
		.map((option) => (option.name === 'plugins' ? { ...option, description: PLUGINS } : option)),
	extraBodyField,
	maxRetriesOption,
	textTimeoutOption,
].sort((a, b) => a.displayName.localeCompare(b.displayName));

/** The parameters of the chat model, in the order of the panel. */
export const chatModelFields: INodeProperties[] = [
	{
		displayName:
			"Connect this node to the 'Chat Model' input of an AI Agent or a chain. After a run, its output shows each call with its tokens and, where the API format reports it, its cost.",
		name: 'connectionNotice',
		type: 'notice',
		default: '',
	},
	textModelField,
	formatField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
	},
];
