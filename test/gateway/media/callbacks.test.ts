import fc from 'fast-check';

import { taskIdsIn } from '../../../nodes/shared/gateway/media/callbacks';
import { anyText } from '../../helpers/anyText';
import { growth, LINEAR } from '../../helpers/growth';

describe('the IDs in the text of a callback', () => {
	const long = 'a1'.repeat(100);

	it.each<[string, string, string[]]>([
		['in JSON', '{"taskId":"task-1","data":{"id":"task-2"}}', ['task-1', 'task-2']],
		['in JSON text within JSON', JSON.stringify({ a: JSON.stringify({ id: 'task-1' }) }), ['task-1']],
		['as a number', '{"taskId":1234567,"code":200}', ['1234567']],
		['in a form', 'taskId=task-1&payload=%7B%22id%22%3A%22task-2%22%7D', ['task-1', 'task-2']],
		['in XML', '<task id="task-1"><url>https://a.test/b1/c12345</url></task>', ['task-1']],
		['with two characters', '{"taskId":"t1","priority":1}', ['t1']],
		['once each', 'task-1 task-1', ['task-1']],
		['after ten other words', 'a b c d e f g h i j task-1', ['task-1']],
		['after another one ten times', `${'evt-1 '.repeat(10)}task-1`, ['evt-1', 'task-1']],
		[
			'first where a name says so',
			'{"prompt":"1girl, 8k","event":{"Task":"t1"},"task_id":"t2"}',
			['t1', 't2', '1girl', '8k'],
		],
		['with 200 characters', long, [long]],
		['but not with 201', `${long}a`, []],
		[
			'but not in a URL, a model, a version or a fraction',
			'https://a.test/abc123 acme/model-2 1.2.345 0.123456',
			[],
		],
		['but not in words', '"state":"success","taskId":"none","event":"task_ended"', []],
	])('are found %s', (_, text, ids) => expect(taskIdsIn(text)).toStrictEqual(ids));

	it('are ten at most', () => {
		const text = Array.from({ length: 20 }, (_, n) => `task-${n}`).join(',');
		expect(taskIdsIn(text)).toStrictEqual(Array.from({ length: 10 }, (_, n) => `task-${n}`));
	});

	it.each(['{}', '[', '"', '%7B', 'a1', 'a ', 'task-1 ', '\\'])(
		'%s many times takes linear time',
		async (part) => {
			const searching = (bytes: number) => {
				const text = part.repeat(bytes / part.length);
				return () => taskIdsIn(text);
			};
			expect(await growth(searching, 64 * 1024)).toBeLessThan(LINEAR);
		},
	);

	it('are found whatever stands around them', () => {
		const text = anyText();
		fc.assert(
			fc.property(text, text, (before, after) => {
				const ids = taskIdsIn(`${before.replace(/\d/g, '')} "task-1" ${after}`);
				expect(ids).toContain('task-1');
				expect(ids.length).toBeLessThanOrEqual(10);
			}),
		);
	});
});
