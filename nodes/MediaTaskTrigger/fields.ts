import { binaryPropertyName, downloadResults } from '../shared/fields/mediaResults';
import { collection } from '../shared/params/groups';
import { choice, flag, notice, optional } from '../shared/params/kinds';
import { declare } from '../shared/params/parameter';

/** The parameters of the trigger. */
export const parameters = declare({
	callbackNotice: notice(
		"Open 'Webhook URLs' above and copy the production URL (for tests, the test URL) into the option 'Callback URL' of Gateway Media Task. The gateway must be able to reach it.",
	),
	events: choice({
		displayName: 'Trigger On',
		options: [
			{
				name: 'Task Ended',
				value: 'both',
				action: 'On media task ended',
				description: 'With or without a result',
			},
			{
				name: 'Task Failed',
				value: 'fail',
				action: 'On media task failed',
				description: 'It has ended without a result',
			},
			{
				name: 'Task Succeeded',
				value: 'success',
				action: 'On media task succeeded',
				description: 'It has ended, and its result is there',
			},
		],
		default: 'success',
	}),
	downloadResults,
	options: collection({
		archiveTask: optional(
			flag({
				displayName: 'Archive the Task',
				default: true,
				description:
					'Whether to move the task to the archived list. Where several n8n processes take callbacks, this makes sure that only one of them starts the workflow.',
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
	}),
});
