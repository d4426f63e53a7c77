import { readdirSync } from 'node:fs';

import type { WorkflowJson } from '../../sandbox/n8n/types';
import { readText } from '../helpers/markdown';

it('the titles of the examples are the names of their workflows', () => {
	const files = readdirSync('examples').filter((file) => file.endsWith('.json'));
	const names = files.map((file) => (JSON.parse(readText(`examples/${file}`)) as WorkflowJson).name);
	const titles = [...readText('examples/README.md').matchAll(/^## (.+)$/gm)].map(([, title]) => title);
	expect(titles.sort()).toStrictEqual(names.sort());
});
