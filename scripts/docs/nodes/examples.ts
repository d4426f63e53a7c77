import { randomUUID } from 'node:crypto';

import { HumanMessage } from '@langchain/core/messages';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { startGateway, type Gateway } from '../../../sandbox/gateway/gateway';
import { pollContext, supplyContext, webhookContext } from '../../../test/helpers/contexts';
import { packageNodes, runNode } from '../../../test/helpers/engine';
import { Execution, type Story } from '../../../test/stories/execution';
import type { Case } from './cases';

export interface Example extends Case {
	items: INodeExecutionData[];
}

/** The examples, and the values by which changing data is recognized. */
export interface ExampleRun {
	examples: Example[];
	gatewayUrl: string;
	filesUrl: string;
	/** The time of the start, in Unix milliseconds. */
	startedAt: number;
}

/** Tasks end at once, with small files; polls are late enough to find them ended. */
const SETTINGS = {
	taskDuration: { image: 0, video: 0, music: 0, audio: 0 },
	render: 'placeholder',
	latency: { mediaStatus: 500 },
} as const;

/**
 * Runs the cases one after the other: nodes on n8n's engine, triggers and the chat model as n8n calls them.
 *
 * @throws {Error} for a case that fails or has no output
 */
export async function runCases(cases: readonly Case[]): Promise<ExampleRun> {
	const startedAt = Date.now();
	const gateway = await startGateway({ settings: SETTINGS });
	try {
		const examples: Example[] = [];
		for (const one of cases) {
			const input = inputOf(one, examples);
			const items = await new Runner(gateway, one, input).run();
			if (items.length === 0) throw new Error(`${titleOf(one)} gave nothing`);
			examples.push({ ...one, items });
		}
		return {
			examples,
			gatewayUrl: new URL(gateway.baseUrl).origin,
			filesUrl: gateway.filesUrl,
			startedAt,
		};
	} finally {
		await gateway.close();
	}
}

const titleOf = ({ node, operation = '', title = '' }: Case) =>
	`The case ${node} ${operation} ${title}`.trim();

function inputOf({ after, file }: Case, examples: readonly Example[]): INodeExecutionData[] {
	if (after !== undefined) {
		const before = examples.find(({ name }) => name === after);
		if (!before) throw new Error(`No case "${after}" runs before`);
		return before.items;
	}
	if (file === undefined) return [{ json: {} }];
	const { base64: data, ...more } = file;
	return [{ json: {}, binary: { data: { data, ...more } } }];
}

class Runner {
	private readonly credential;

	constructor(
		private readonly gateway: Gateway,
		private readonly one: Case,
		private readonly input: INodeExecutionData[],
	) {
		this.credential = { baseUrl: gateway.baseUrl, apiKey: gateway.apiKey };
	}

	async run(): Promise<INodeExecutionData[]> {
		const { taskFails } = this.one;
		if (taskFails) this.gateway.control.configure({ taskFailure: { ...taskFails, times: 1 } });
		switch (this.one.node) {
			case 'balanceTrigger':
				return await this.polled();
			case 'mediaTaskTrigger':
				return await this.called();
			case 'chatModel':
				return await this.invoked();
			default:
				return await this.executed();
		}
	}

	private async executed(): Promise<INodeExecutionData[]> {
		const { node, operation = '', parameters, balances = [], continuesOnFail } = this.one;
		const [resource = '', name = ''] = operation.split('/');
		for (const balance of balances) this.gateway.control.setBalance(balance);
		if (this.one.behind) return await this.executedBehind(this.one.behind);
		const { items, error } = await runNode({
			node,
			parameters: { ...(continuesOnFail ? parameters : quick(name, parameters)), resource, operation: name },
			items: this.input,
			credential: this.credential,
			settings: {
				typeVersion: packageNodes[node].description.defaultVersion ?? 1,
				...(continuesOnFail ? { onError: 'continueRegularOutput' } : {}),
			},
		});
		if (error) throw new Error(`${titleOf(this.one)} failed: ${error.message} ${error.description ?? ''}`);
		return items;
	}

	private async executedBehind(before: INodeParameters): Promise<INodeExecutionData[]> {
		const { node, operation = '', parameters } = this.one;
		const [resource = '', name = ''] = operation.split('/');
		const nodes: Story['nodes'] = [
			{ node, parameters: before },
			{ node, parameters: { ...parameters, resource, operation: name } },
		];
		return (await Execution.start({ nodes, items: this.input }, this.credential)).items('Gateway 2');
	}

	/** Polls once for each balance; returns the output of the last poll. */
	private async polled(): Promise<INodeExecutionData[]> {
		const { node, parameters, balances = [] } = this.one;
		const store = {};
		let given: INodeExecutionData[][] | null = null;
		for (const balance of balances) {
			this.gateway.control.setBalance(balance);
			const { credential } = this;
			const context = pollContext({ node, parameters, credential, mode: 'trigger', store });
			given = await packageNodes.balanceTrigger.poll.call(context);
		}
		return given?.[0] ?? [];
	}

	/** Receives the callback of the input's task. */
	private async called(): Promise<INodeExecutionData[]> {
		const { node, parameters } = this.one;
		const { credential } = this;
		const taskId = this.input[0]?.json.taskId;
		const body = { code: 200, msg: 'success', data: { taskId, state: 'success' } };
		const context = webhookContext({ node, parameters, credential, mode: 'webhook', store: {} }, { body });
		const { workflowData } = await packageNodes.mediaTaskTrigger.webhook.call(context);
		return workflowData?.[0] ?? [];
	}

	/** The model's entry in the execution's log after a request of an agent. */
	private async invoked(): Promise<INodeExecutionData[]> {
		const { node, parameters, prompt = '' } = this.one;
		const { context, execution } = supplyContext({ node, parameters, credential: this.credential });
		const { response } = await packageNodes.chatModel.supplyData.call(context, 0);
		await (response as LanguageModel).invoke([new HumanMessage(prompt)]);
		const [call] = execution.resultData.runData.Gateway ?? [];
		return call?.data?.ai_languageModel?.[0] ?? [];
	}
}

interface LanguageModel {
	invoke(messages: HumanMessage[]): Promise<unknown>;
}

/** Another execution may have created the task of a key, so the first poll has no pause. The output is the same. */
function quick(operation: string, parameters: Case['parameters']): Case['parameters'] {
	if (operation !== 'createAndWait' && operation !== 'generate') return parameters;
	const options = typeof parameters.options === 'object' ? parameters.options : {};
	return { ...parameters, options: { ...options, idempotencyKey: randomUUID() } };
}
