import { simplify } from '../../../shared/fields/results';
import { createMediaSession } from '../../../shared/gateway/endpoints/tasks';
import { asObject } from '../../../shared/gateway/util/json';
import { jsonObject } from '../../../shared/params/kinds';
import { defineOperation } from '../../../shared/run/operation';

export const createSession = defineOperation({
	displayName: 'Create',
	action: 'Create media session',
	description: 'Create a new session for media tasks',
	isSingleRequest: true,
	parameters: {
		sessionJson: jsonObject({
			displayName: 'Session (JSON)',
			rows: 4,
			default: '{}',
			example: '{ "name": "value" }',
			description:
				'The fields of the session as a JSON object, sent as it is. The documentation of your gateway lists them.',
		}),
		simplify,
	},
	async execute({ client, params }) {
		const { sessionJson, simplify: isSimple } = params;
		const body = await createMediaSession(client, sessionJson);
		return [{ json: (isSimple && asObject(body.data)) || body }];
	},
});
