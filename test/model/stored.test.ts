import type { INodeExecutionData } from 'n8n-workflow';

import type { Execution, Story } from '../stories/execution';
import { image, numbered, says, text, useStories } from '../stories/support';

// How much n8n stores of an execution beside its items: it reads and writes all of it for each callback, and in each save.

const { execute, disturb } = useStories();

/** `STORED=full` measures the numbers in which users notice it, and prints the sizes. */
const isFull = process.env.STORED === 'full';
const [TEXTS, TASKS, ROUNDS] = isFull ? [16_000, 500, 50] : [160, 50, 5];

/** What nodes have stored, in characters of JSON: in the context of the workflow, and in those of all nodes. */
function stored({ contexts }: Execution): { flow: number; nodes: number } {
	const sizes = { flow: 0, nodes: 0 };
	for (const [name, context] of Object.entries(contexts))
		sizes[name === 'flow' ? 'flow' : 'nodes'] += JSON.stringify(context).length;
	return sizes;
}

const round = numbered(5);
const rounds = Array<INodeExecutionData[]>(ROUNDS - 1).fill(round);
const options = { concurrency: 64 };
const LAST = `"[[say:text ${TEXTS - 1}]]`;

it.each<[string, Story, perCall: { flow: number; nodes: number }]>([
	[`${TEXTS} texts`, { nodes: [text({ options })], items: numbered(TEXTS) }, { flow: 0, nodes: 0 }],
	[
		`${TEXTS} texts, of which the last fails`,
		{ nodes: [text({ options: options })], items: numbered(TEXTS) },
		{ flow: 0, nodes: 700 },
	],
	[`${TASKS} tasks`, { nodes: [image({ options })], items: numbered(TASKS) }, { flow: 235, nodes: 25 }],
	[
		`${ROUNDS} rounds of a loop with five texts`,
		{ nodes: [text({ options })], items: round, rounds },
		{ flow: 0, nodes: 0 },
	],
	[
		`${ROUNDS} rounds of a loop with five tasks`,
		{ nodes: [image({ options })], items: round, rounds },
		{ flow: 235, nodes: 0 },
	],
])(
	'%s',
	async (name, story, perCall) => {
		disturb(says(name.includes('fails') ? LAST : 'no such text'), { kind: 'error', code: 'invalid_request' });
		const { nodes, items, ...more } = story;
		const execution = await execute(nodes, items, more);
		const calls = Number(execution.sums?.gatewayCalls);
		const sizes = stored(execution);
		if (isFull) process.stdout.write(`${name}: ${JSON.stringify({ calls, ...sizes })}\n`);
		expect(calls).toBe(name.includes('fails') ? TEXTS - 1 : items.length * (more.rounds ? ROUNDS : 1));
		expect(sizes.flow).toBeLessThan(500 + perCall.flow * calls);
		expect(sizes.nodes).toBeLessThan(1_000 + perCall.nodes * calls);
	},
	isFull ? 1_200_000 : undefined,
);
