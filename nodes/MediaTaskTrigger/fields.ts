import type { DisplayCondition, INodeProperties } from 'n8n-workflow';

import { binaryPropertyName, downloadResults } from '../shared/fields/mediaResults';
import { collection } from '../shared/params/groups';
import { choice, flag, notice, optional } from '../shared/params/kinds';
import { declare } from '../shared/params/parameter';
import type { Events } from './events';

/** The events that start the workflow. The default differs between versions, and workflows do not store a default. */
function eventsOf(initial: Events, version: Array<number | DisplayCondition>) {
	return choice({
		displayName: 'Trigger On',
		options: [
			{
				name: 'Task Ended',
				value: 'both',
				action: 'On media task ended',
				description: 'The task has succeeded or failed',
			},
			{
				name: 'Task Failed',
				value: 'fail',
				action: 'On media task failed',
				description: 'The task has ended without a result',
			},
			{
				name: 'Task Succeeded',
				value: 'success',
				action: 'On media task succeeded',
				description: 'The task has ended, and its result is ready',
			},
		],
		default: initial,
		displayOptions: { show: { '@version': version } },
	});
}

const callbackNotice = notice(
	"Under 'Webhook URLs' above, copy the production URL (or the test URL) into the option 'Callback URL' of Gateway Media Task. The gateway must be able to reach it.",
);

const options = collection({
	archiveTask: optional(
		flag({
			displayName: 'Archive the Task',
			default: true,
			description:
				'Whether to archive the task. If several n8n processes receive callbacks, this makes sure that only one of them starts the workflow.',
		}),
	),
	includeCallback: optional(
		flag({
			displayName: 'Include Callback',
			default: true,
			description:
				"Whether to add the gateway’s callback to the output: its body (up to 256 KB), query and headers, in the field 'callback'",
		}),
	),
	binaryPropertyName,
});

/** The first version of the node starts for tasks that succeed, unless set otherwise. */
const first = declare({ callbackNotice, events: eventsOf('success', [1]), downloadResults, options });

/** Version 1.1 starts for tasks that fail, too. */
const latest = declare({
	callbackNotice,
	events: eventsOf('both', [{ _cnd: { gte: 1.1 } }]),
	downloadResults,
	options,
});

/** The parameters of the trigger in a version of the node. */
export function parametersOf(version: number): typeof latest {
	return version < 1.1 ? first : latest;
}

/** The parameters of all versions, in the order of the panel. */
export const properties: INodeProperties[] = [...first.properties.slice(0, 2), ...latest.properties.slice(1)];
