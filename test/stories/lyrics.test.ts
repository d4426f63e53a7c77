import type { StoryNode } from './execution';
import { CONTINUE, prompts, useStories } from './support';

// *Get Lyrics* when the gateway responds with success, but without words (§4.12).

const { gateway, execute } = useStories();

const lyrics: StoryNode = {
	node: 'mediaTask',
	parameters: { resource: 'task', operation: 'getLyrics', taskId: '={{ $json.prompt }}', audioId: 'a1' },
	settings: CONTINUE,
};
const items = prompts('9b2d7c1e-0000-4000-8000-000000000001', '9b2d7c1e-0000-4000-8000-000000000002');

test.each<[unknown, boolean]>([
	[null, false],
	[undefined, false],
	[{}, false],
	[[], false],
	['', false],
	[{ alignedWords: null }, false],
	[{ alignedWords: [] }, true],
	[{ alignedWords: [{ word: 'a' }] }, true],
])('the data %j are lyrics: %s', async (data, isLyrics) => {
	gateway.control.addFault({
		match: { path: '*/lyrics/timestamped' },
		action: {
			kind: 'raw',
			status: 200,
			body: { text: JSON.stringify({ code: 200, msg: 'success', data }), contentType: 'application/json' },
		},
		times: 0,
	});
	for (const simplify of [true, false]) {
		const execution = await execute({ ...lyrics, parameters: { ...lyrics.parameters, simplify } }, items);
		const errors = execution.errors().map(({ message }) => message);
		expect(errors).toStrictEqual(isLyrics ? [] : Array(2).fill('The gateway has no lyrics for this'));
	}
});
