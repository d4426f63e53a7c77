import nock from 'nock';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { MediaTaskTrigger } from '../../../nodes/MediaTaskTrigger/MediaTaskTrigger.node';
import { webhookContext } from '../../helpers/contexts';
import { useNock } from '../../helpers/nock';

useNock();

let taskId: string;
let count = 0;
beforeEach(() => {
	taskId = `callback-${(count += 1)}`;
});

const gateway = () => nock('https://gateway.test').persist();

/** Sends the callback of a task with a file to the trigger. */
async function started(parameters: INodeParameters): Promise<INodeExecutionData | undefined> {
	const resultJson = '{"resultUrls":["https://files.test/a.png"]}';
	gateway()
		.get(`/api/v1/async/media/tasks/${taskId}`)
		.reply(200, { code: 200, msg: 'success', data: { taskId, state: 'success', resultJson } });
	const context = webhookContext(
		{ node: 'mediaTaskTrigger', parameters, mode: 'webhook', store: {} },
		{ body: { taskId } },
	);
	const { workflowData } = await new MediaTaskTrigger().webhook.call(context);
	return workflowData?.[0]?.[0];
}

describe('switches that an expression sets with text', () => {
	it('true adds the callback', async () => {
		const item = await started({ downloadResults: false, options: { includeCallback: 'true' } });
		expect(item?.json.callback).toMatchObject({ body: { taskId } });
	});

	it('true archives the task', async () => {
		const archiving = gateway().patch(`/api/v1/async/media/tasks/${taskId}/archive`).reply(204);
		await started({ downloadResults: false, options: { archiveTask: 'true' } });
		expect(archiving.isDone()).toBe(true);
	});

	it('true fetches the files', async () => {
		nock('https://files.test').get('/a.png').reply(200, 'bytes');
		expect((await started({ downloadResults: 'true' }))?.binary).toHaveProperty('data');
	});

	it('false does none of that', async () => {
		const options = { includeCallback: 'false', archiveTask: 'false' };
		const item = await started({ downloadResults: 'false', options });
		expect(item?.json).toMatchObject({ taskId, state: 'success' });
		expect(item?.json).not.toHaveProperty('callback');
		expect(item).not.toHaveProperty('binary');
	});
});
