import { readFileSync } from 'node:fs';

import { repository } from '../../helpers/markdown';

const read = <T>(path: string) => JSON.parse(readFileSync(`${repository}/sandbox/n8n/${path}`, 'utf8')) as T;

it('the driver that is compiled beforehand has the version that n8n uses', () => {
	const { packages } = read<{ packages: Record<string, { version: string }> }>('runtime/package-lock.json');
	const { dependencies } = read<{ dependencies: { sqlite3: string } }>('sqlite/package.json');
	expect(dependencies.sqlite3).toBe(packages['node_modules/sqlite3']?.version);
});
