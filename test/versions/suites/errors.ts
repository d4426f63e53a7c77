import type { FaultAction } from '../../../sandbox/gateway/gateway';
import { byId, catcher, gatewayNode, itemsNode, workflowOf } from '../../e2e/support/workflows';
import { environment, itemsOf, run, suite } from '../support';

const TEXT = '/chat/completions';
const TASKS = '/async/media/tasks';
const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

const fault = (path: string, action: FaultAction) =>
	environment.gateway.control.addFault({ match: { method: 'POST', path }, action });
const posts = (path: string) => environment.gateway.control.requests({ method: 'POST', path });
const ledger = () => environment.gateway.control.ledger();

const ask = (settings: Record<string, unknown>) =>
	gatewayNode('Ask', 'textGeneration', { model: byId('={{ $json.model }}'), prompt: 'Hello' }, settings);
const create = (settings: Record<string, unknown>) =>
	gatewayNode(
		'Create',
		'mediaTask',
		{
			operation: 'create',
			model: byId('aurora/canvas-1'),
			inputMode: 'json',
			inputJson: '{"prompt": "a cat", "quality": "draft", "size": "512x512"}',
			options: { maxRetries: 0 },
		},
		settings,
	);

/** Runs the text node for each of these models; its error output leads to `Failed`. */
async function askAll(models: string[], settings: Record<string, unknown>) {
	const items = itemsNode(
		'Items',
		models.map((model) => ({ model })),
	);
	const routes = { Start: ['Items'], Items: ['Ask'], Ask: ['After', 'Failed'] };
	return await run(workflowOf('Errors', [items, ask(settings), catcher('After'), catcher('Failed')], routes));
}

export function errorSuites(): void {
	suite('Error output', () => {
		it('gets failed items with their input and details, the others continue', async () => {
			const result = await askAll(['sandbox/none', 'sandbox/balanced-2'], {
				onError: 'continueErrorOutput',
			});
			expect(result.status).toBe('success');
			expect(itemsOf(result, 'After')).toHaveLength(1);
			expect(itemsOf(result, 'Failed')).toMatchObject([
				{ model: 'sandbox/none', error: { message: expect.stringContaining('model') as string } },
			]);
		});
	});

	suite('Lost answer', () => {
		it('of a text call may be charged, and the call is not repeated', async () => {
			fault(TEXT, { kind: 'loseResponse' });
			const result = await askAll(['sandbox/balanced-2'], { onError: 'continueRegularOutput' });
			expect(posts(TEXT)).toHaveLength(1);
			expect(ledger()).toHaveLength(1);
			expect(itemsOf(result, 'Ask')).toMatchObject([
				{
					error: {
						message: expect.stringContaining('connection broke') as string,
						mayBeCharged: true,
						retryable: false,
					},
				},
			]);
		});
	});

	suite('Retry On Fail', () => {
		it('does not repeat a text call whose answer was lost', async () => {
			fault(TEXT, { kind: 'loseResponse' });
			const result = await askAll(['sandbox/balanced-2'], retrying);
			expect(posts(TEXT)).toHaveLength(1);
			expect(ledger()).toHaveLength(1);
			expect(result.status).toBe('error');
			expect(result.error?.message).toContain('connection broke');
		});

		it.each<[string, FaultAction]>([
			['fails', { kind: 'error', code: 'service_unavailable' }],
			['is lost', { kind: 'loseResponse' }],
		])('repeats a creation whose first answer %s, and there is one task', async (_, action) => {
			fault(TASKS, action);
			const result = await run(workflowOf('Create', [create(retrying)], { Start: ['Create'] }));
			expect(result.status).toBe('success');
			expect(posts(TASKS)).toHaveLength(2);
			expect(itemsOf(result, 'Create').map(({ taskId }) => taskId)).toStrictEqual(
				environment.gateway.control.tasks().map(({ taskId }) => taskId),
			);
			expect(ledger()).toHaveLength(1);
		});
	});
}
