import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { startGateway, type Gateway } from '../../sandbox/gateway/gateway';
import { runNode, type RunOptions, type RunResult } from '../helpers/engine';
import { useFreshRateGates } from '../helpers/rateGates';
import { form, locator } from '../helpers/values';
import { supplied, type SuppliedOptions } from '../nodes/chatModel/supplied';

// The nodes on n8n's engine against the sandbox gateway, over real sockets.

export const TEXT_MODEL = 'sandbox/balanced-2';

/** A gateway for the tests of a file, reset before each; its tasks end at once, and its results are small. */
export function useGateway() {
	let gateway: Gateway | undefined;
	const started = (): Gateway => {
		if (!gateway) throw new Error('The gateway has not been started');
		return gateway;
	};
	useFreshRateGates();
	beforeAll(async () => void (gateway = await startGateway()));
	beforeEach(async () => {
		await started().control.reset();
		started().control.configure({
			taskDuration: { image: 0, video: 0, music: 0, audio: 0 },
			render: 'placeholder',
		});
	});
	afterAll(async () => await gateway?.close());

	const run = async (options: Omit<RunOptions, 'credential'>): Promise<RunResult> => {
		const { baseUrl, apiKey } = started();
		return await runNode({ ...options, credential: { baseUrl, apiKey } });
	};
	return {
		get control() {
			return started().control;
		},
		get baseUrl() {
			return started().baseUrl;
		},
		get apiKey() {
			return started().apiKey;
		},
		run,
		charges: () => started().control.ledger().length,

		/** What the gateway has charged, in rubles. The first charge is 0. */
		spent: (from = 0, to = Infinity): string => {
			const charges = started().control.ledger().slice(from, to);
			return sumOfCosts(...charges.map(({ amount }) => amount)) ?? '';
		},

		/** The chat model, as n8n supplies it to an agent. */
		chatModel: async (given: Partial<SuppliedOptions> = {}) => {
			const { baseUrl, apiKey } = started();
			const parameters = { model: locator(TEXT_MODEL), ...given.parameters };
			return await supplied({ baseUrl, apiKey, ...given, parameters });
		},

		/** Generates text. */
		generate: async (parameters: object = {}, extra: Partial<RunOptions> = {}) =>
			await run({
				node: 'textGeneration',
				...extra,
				parameters: {
					resource: 'text',
					operation: 'generate',
					model: locator(TEXT_MODEL),
					prompt: 'Say hello',
					...parameters,
				},
			}),

		/** Runs an operation of the media node. */
		media: async (
			operation: string,
			parameters: object,
			extra: Partial<RunOptions> = {},
			resource = 'task',
		) => await run({ node: 'mediaTask', ...extra, parameters: { resource, operation, ...parameters } }),

		/** Creates a picture and waits for it, without a pause before the first poll. */
		draw: async (parameters: object = {}, extra: Partial<RunOptions> = {}) =>
			await run({
				node: 'mediaTask',
				...extra,
				parameters: {
					resource: 'task',
					operation: 'createAndWait',
					model: locator('aurora/canvas-1'),
					inputMode: 'json',
					inputJson: '{"prompt": "кот", "quality": "draft", "size": "512x512"}',
					...parameters,
				},
			}),
	};
}

/** A filled-in form of a model. */
export const filled = (model: string, value: object) => ({
	model: locator(model),
	inputMode: 'form',
	input: form(value),
});
