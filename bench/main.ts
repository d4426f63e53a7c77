import { bulk } from './bulk';
import { https } from './https';
import { limits } from './limits';
import { load } from './load';
import { table, type Row } from './measure';
import { media } from './media';
import { memory } from './memory';
import { overhead } from './overhead';
import { sse } from './sse';

const benches: Record<string, () => Promise<Row[]>> = {
	load,
	overhead,
	bulk,
	https,
	sse,
	memory,
	media,
	limits,
};

async function main(names: string[]): Promise<void> {
	const unknown = names.filter((name) => !(name in benches));
	if (unknown.length > 0) {
		console.error(
			`There is no benchmark called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`,
		);
		process.exitCode = 1;
		return;
	}
	const rows: Row[] = [];
	for (const [name, run] of Object.entries(benches)) {
		if (names.length === 0 || names.includes(name)) rows.push(...(await run()));
	}
	console.log(
		table(
			['What', 'This package', 'In the same run'],
			rows.map(({ what, ours, others }) => [what, ours, others.join(', ')]),
		),
	);
}

void main(process.argv.slice(2));
