import { binaryPropertyName, downloadResults } from '../shared/fields/results';
import { collection } from '../shared/params/groups';
import { choice, flag, notice } from '../shared/params/kinds';

/** A callback may not be repeated, so settings that cannot be read count as not set. */
export const parameters = {
	callbackNotice: notice(
		"Copy a URL under 'Webhook URLs' above into the option 'Callback URL' of Gateway Media Task: Create. The production URL needs the workflow published, and the gateway must reach it.",
	),
	events: choice({
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
		default: 'both',
	}).orNotSet(),
	downloadResults: downloadResults.orNotSet(),
	options: collection({
		archiveTask: flag({
			displayName: 'Archive the Task',
			default: true,
			description:
				'Whether to archive the task. If several n8n processes receive callbacks, this makes sure that only one of them starts the workflow.',
		})
			.optional()
			.orNotSet(),
		binaryPropertyName: binaryPropertyName.orNotSet(),
	}),
};
