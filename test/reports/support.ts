import type { INodeExecutionData } from 'n8n-workflow';

import { TEXT_MODEL, useGateway } from '../contract/support';
import type { RunOptions } from '../helpers/engine';
import { CONTINUE, locator } from '../helpers/values';

// Bugs that were reported, each a row: the input, and what is right, at the node. A row is removed only with its feature, which
// the owner decides.

/** A node with *On Error: Continue*, and the sandbox gateway. */
export function useReports() {
	const gateway = useGateway();

	/** The JSON of an item, or its error. */
	const first = ({ items }: { items: INodeExecutionData[] }) => items[0]?.json ?? {};

	/** The gateway responds to the next POST with this text. */
	const respondText = (text: string, contentType: string): void =>
		void gateway.control.addFault({
			match: { method: 'POST' },
			action: { kind: 'raw', status: 200, body: { text, contentType } },
		});

	const runNode = async (
		node: RunOptions['node'],
		parameters: object,
		items?: INodeExecutionData[],
		asTool = false,
	) => {
		const options = {
			node,
			parameters: { ...parameters },
			settings: CONTINUE,
			...(items && { items }),
			...(asTool && { asTool }),
		};
		const result = await gateway.run(options);
		return { ...result, json: first(result), sent: sentTo(gateway) };
	};

	return {
		gateway,
		/** What becomes of a text. */
		ask: async (parameters: object, asTool = false) =>
			await runNode(
				'textGeneration',
				{
					resource: 'text',
					operation: 'generate',
					model: locator(TEXT_MODEL),
					prompt: 'Hello',
					...parameters,
				},
				undefined,
				asTool,
			),
		respondText,
		/** The gateway responds to the next POST with this body: JSON, or events. */
		respond: (body: object | object[]): void => {
			if (Array.isArray(body)) respondText(streamOf(body), 'text/event-stream');
			else respondText(JSON.stringify(body), 'application/json');
		},
		/** What becomes of one item, or of several. */
		run: runNode,
	};
}

export const streamOf = (events: object[]) =>
	events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

/** The bodies of what was sent to create something. */
const sentTo = (gateway: ReturnType<typeof useGateway>) =>
	gateway.control.requests({ method: 'POST' }).map(({ body }) => body.json);
