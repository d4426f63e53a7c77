import { bulk } from './bulk';
import { media } from './media';
import { memory } from './memory';
import { sse } from './sse';

const benches: Record<string, () => Promise<string>> = { bulk, media, memory, sse };

/** Runs the named benchmarks, or all of them, and prints a table each. */
async function main(names: string[]): Promise<void> {
	const unknown = names.filter((name) => !(name in benches));
	if (unknown.length > 0) {
		console.error(
			`There is no benchmark called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`,
		);
		process.exitCode = 1;
		return;
	}
	for (const [name, run] of Object.entries(benches)) {
		if (names.length === 0 || names.includes(name)) console.log(`## ${name}\n\n${await run()}\n`);
	}
}

void main(process.argv.slice(2));
