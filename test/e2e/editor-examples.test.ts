import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryRoot } from '../../sandbox/n8n/runtime';
import { loadExample } from '../../sandbox/n8n/workflows';
import { story } from './support/editor/story';

// Each example in the editor: all its nodes are there, and none has a problem once the credential is chosen.

const scene = story('6-examples');
const names = readdirSync(join(repositoryRoot, 'examples'))
	.filter((file) => file.endsWith('.json'))
	.map((file) => file.replace('.json', ''));

for (const name of names) {
	scene(`the example ${name} opens without a problem`, async ({ editor, environment }) => {
		const workflow = await loadExample(name);
		await editor.openWorkflow(await environment.store(workflow));
		await editor.fit();
		const { page } = editor;
		const isSticky = ({ type }: { type: string }) => type === 'n8n-nodes-base.stickyNote';
		for (const node of workflow.nodes.filter((candidate) => !isSticky(candidate)))
			await editor.node(node.name).waitFor();
		expect(await page.getByTestId('node-issues').count()).toBe(0);
		// n8n has no icon, inputs and outputs for a node in a version that it does not know.
		await page.waitForFunction('[...document.images].every(({ naturalWidth }) => naturalWidth > 0)');
		const notes = await page.getByTestId('sticky').all();
		await editor.album.image(
			`examples/${name}`,
			[...notes, ...(await page.getByTestId('canvas-node').all())],
			900,
			40,
		);
	});
}
