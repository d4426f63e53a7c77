import type { INodeProperties } from 'n8n-workflow';

import type { ItemContext, Operation, OperationOutput } from '../../../shared/run/operation';
import { simplifyField } from '../../../shared/fields/common';
import { asObject } from '../../../shared/gateway/util/json';
import { createMediaSession } from '../../../shared/gateway/endpoints/taskActions';

const sessionField: INodeProperties = {
	displayName: 'Session (JSON)',
	name: 'sessionJson',
	type: 'json',
	typeOptions: { rows: 4 },
	default: '{}',
	description: 'The fields of the session as a JSON object, passed on to the gateway as they are',
};

/** Creates a media session (§4.13, whose fields the specification does not show). */
export const createSession: Operation = {
	displayName: 'Create',
	action: 'Create media session',
	description: 'Create a new session, to which media tasks can belong',
	properties: [sessionField, simplifyField],
	async execute(item: ItemContext): Promise<OperationOutput[]> {
		const { client, parameters } = item;
		const simplify = parameters.flag('simplify', 'Simplify');
		const body = await createMediaSession(
			client,
			parameters.jsonObject('sessionJson', 'Session (JSON)', '{ "name": "Spring campaign" }'),
		);
		const session = asObject(body.data);
		return [{ json: session && simplify ? session : body }];
	},
};
