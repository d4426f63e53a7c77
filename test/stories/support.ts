import type { INodeExecutionData } from 'n8n-workflow';

import { rubles as inRubles } from '../../nodes/shared/gateway/util/money';
import type { FaultAction, RequestMatch, RequestRecord } from '../../sandbox/gateway/gateway';
import { TEXT_MODEL, useGateway } from '../contract/support';
import { eventually } from '../helpers/time';
import { form, locator } from '../helpers/values';
import { Execution, type Story, type StoryNode } from './execution';

// Stories: what users see and pay, over several tries and executions of a workflow, on n8n's engine and against the
// sandbox gateway. Nodes have the options that the editor sets, and no others.

type RequestFilter = NonNullable<RequestMatch['which']>;

/** A gateway for the stories of a file, in virtual time. */
export function useStories() {
	const gateway = useGateway();
	const calm = () => gateway.control.clearFaults();

	async function execute(
		node: StoryNode | Story['nodes'],
		items: INodeExecutionData[],
		{ minBalanceRub, ...more }: Partial<Story> = {},
		killed?: Promise<void>,
	): Promise<Execution> {
		const { baseUrl, apiKey } = gateway;
		const nodes: Story['nodes'] = Array.isArray(node) ? node : [node];
		const credential = { baseUrl, apiKey, ...(minBalanceRub === undefined ? {} : { minBalanceRub }) };
		return await Execution.start({ nodes, items, ...more }, credential, killed);
	}

	return {
		gateway,
		/** Executes a workflow of one or more nodes to its end. */
		execute,
		/** Executes a node until the gateway has charged this often; then n8n is killed. */
		executeUntilKilled: async (
			charges: number,
			node: StoryNode,
			items: INodeExecutionData[],
			more: Partial<Story> = {},
		) =>
			await execute(
				node,
				items,
				more,
				eventually(() => gateway.charges() === charges),
			),
		/**
		 * Disturbs some requests, and no longer those before.
		 *
		 * @param until their responses are held until this is true, e.g. until all others are charged
		 */
		disturb: (which: RequestFilter, action: FaultAction, until?: () => boolean): void => {
			calm();
			gateway.control.addFault({ match: { which }, action, times: 0 });
			if (!until) return;
			const { release } = gateway.control.hold({ which });
			void eventually(until).then(release, release);
		},
		/** Ends that, and removes all other fault rules. */
		calm,
		spent: gateway.spent,
		/** The paths of all requests that create, upload or generate something. */
		sent: () => gateway.control.requests({ method: 'POST' }).map(({ path }) => path),
	};
}

const TEXT: object = {
	resource: 'text',
	operation: 'generate',
	model: locator(TEXT_MODEL),
	prompt: '={{ $json.prompt }}',
	options: {},
};

const IMAGE: object = {
	resource: 'image',
	operation: 'generate',
	model: locator('aurora/canvas-1'),
	prompt: '={{ $json.prompt }}',
	input: form({ quality: 'draft', size: '512x512' }),
	options: {},
};

type Settings = NonNullable<StoryNode['settings']>;

/** *Gateway Text Generation → Generate text*. */
export const text = (parameters: object = {}, settings: Settings = {}): StoryNode => ({
	node: 'textGeneration',
	parameters: { ...TEXT, ...parameters },
	settings,
});

/** *Gateway Media Task → Generate an image*. */
export const image = (parameters: object = {}, settings: Settings = {}): StoryNode => ({
	node: 'mediaTask',
	parameters: { ...IMAGE, ...parameters },
	settings,
});

export const RETRY_ON_FAIL = { retryOnFail: true } as const;

/** Items with these prompts. */
export const prompts = (...texts: string[]): INodeExecutionData[] =>
	texts.map((prompt) => ({ json: { prompt } }));

/** Items for the texts `text 0`, `text 1`, … */
export const numbered = (count: number): INodeExecutionData[] =>
	prompts(...Array.from({ length: count }, (_, n) => `[[say:text ${n}]]`));

/** The gateway responds with this JSON. */
export const respondJson = (body: object, status = 200): FaultAction => ({
	kind: 'raw',
	status,
	body: { text: JSON.stringify(body), contentType: 'application/json' },
});

/** Whether the body of a request contains this text. */
export const says =
	(words: string) =>
	({ body }: RequestRecord): boolean =>
		JSON.stringify(body.json ?? null).includes(words);

/** What an error says of its item when only others are charged. */
export const FREE = /not charged|costs? nothing/i;

/** An amount as users read it, and not as the beginning of another one. */
export const rubles = (amount: string): RegExp =>
	new RegExp(String.raw`${inRubles(amount).replace('.', String.raw`\.`)}(?!\d|\.\d)`);
