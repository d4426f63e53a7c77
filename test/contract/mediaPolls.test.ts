import { quickTime } from '../helpers/time';
import { filled, useGateway } from './support';

const gateway = useGateway();
quickTime(20);

it('a task does not fail when polls fail', async () => {
	gateway.control.configure({ taskDuration: { image: 1_000 } });
	const faults = [
		{ kind: 'error', code: 'rate_limit_exceeded', retryAfter: 0 },
		{ kind: 'loseResponse' },
	] as const;
	for (const action of faults) {
		gateway.control.addFault({ match: { method: 'GET', path: '/async/media/tasks/*' }, action });
	}
	const { items, error } = await gateway.media('createAndWait', {
		...filled('aurora/canvas-1', { prompt: 'a' }),
		downloadResults: false,
	});
	expect(error).toBeUndefined();
	expect(items[0]?.json.state).toBe('success');
});
