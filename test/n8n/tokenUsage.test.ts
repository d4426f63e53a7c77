import type { IExecuteFunctions } from 'n8n-workflow';

import { addTokenUsage } from '../../nodes/shared/n8n/features';
import type { Usage } from '../../nodes/shared/gateway/text/formats/completion';

/** The tokens that n8n records after these requests; undefined when none were recorded. */
function recorded(record: typeof addTokenUsage, calls: Array<[number | null, number | null]>): unknown {
	let metadata: object = {};
	const context = {
		getExecuteData: () => ({ metadata }),
		setMetadata: (more: object) => (metadata = { ...metadata, ...more }),
	} as unknown as IExecuteFunctions;
	for (const [inputTokens, outputTokens] of calls) record(context, { inputTokens, outputTokens } as Usage);
	return (metadata as { tokenUsage?: unknown }).tokenUsage;
}

it.each<[Array<[number | null, number | null]>, unknown]>([
	[[[3, 4]], { inputTokens: 3, outputTokens: 4 }],
	[[[3, null]], { inputTokens: 3, outputTokens: 0 }],
	[[[null, 4]], { inputTokens: 0, outputTokens: 4 }],
	[[[0, 0]], { inputTokens: 0, outputTokens: 0 }],
	[[[null, null]], undefined],
	[
		[
			[3, 4],
			[null, null],
			[10, 20],
		],
		{ inputTokens: 13, outputTokens: 24 },
	],
])('requests of %j tokens are recorded as %j in the execution', (calls, usage) => {
	expect(recorded(addTokenUsage, calls)).toStrictEqual(usage);
});

it('an n8n that cannot count tokens returns the response', () => {
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => ({}));
		const path = '../../nodes/shared/n8n/features';
		const older = jest.requireActual<{ addTokenUsage: typeof addTokenUsage }>(path);
		expect(recorded(older.addTokenUsage, [[3, 4]])).toBeUndefined();
	});
});
