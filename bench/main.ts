import { bulk } from './bulk';
import { cpu } from './cpu';
import { https } from './https';
import { limits } from './limits';
import { load } from './load';
import { media } from './media';
import { memory } from './memory';
import { overhead } from './overhead';
import { summary, type Headline, type Report } from './report';
import { sse } from './sse';

const benches: Record<string, () => Promise<Report>> = {
	load,
	overhead,
	bulk,
	https,
	sse,
	memory,
	media,
	limits,
	cpu,
};

/** Runs the named benchmarks, or all of them; prints the details of each, and one table of the results. */
async function main(names: string[]): Promise<void> {
	const unknown = names.filter((name) => !(name in benches));
	if (unknown.length > 0) {
		console.error(
			`There is no benchmark called ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}.`,
		);
		process.exitCode = 1;
		return;
	}
	const headlines: Headline[] = [];
	for (const [name, run] of Object.entries(benches)) {
		if (names.length > 0 && !names.includes(name)) continue;
		const report = await run();
		headlines.push(...report.headlines);
		console.log(`## ${name}\n\n${report.details}\n`);
	}
	console.log(`## Summary\n\n${summary(headlines)}`);
}

void main(process.argv.slice(2));
