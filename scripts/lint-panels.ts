// Runs n8n's lint on the nodes and the credential as n8n loads them: `npm run lint:panels`. In the sources, its rules do
// not see what the registry and functions build. With --stdin, descriptions from there, by class, replace those of the nodes.
import { config } from '@n8n/node-cli/eslint';
import { Linter } from 'eslint';
import { NodeConnectionTypes } from 'n8n-workflow';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { AiGatewayApi } from '../credentials/AiGatewayApi.credentials';
import { repository } from '../test/helpers/markdown';
import { packageNodes } from '../test/helpers/packageNodes';

const N8N_RULES = /^(n8n-nodes-base|@n8n\/community-nodes)\//;

const UNSORTED = 'n8n-nodes-base/node-param-options-type-unsorted-items';

/** Exceptions, and why: docs/verification.md tells a reviewer. Each place excuses one finding. */
const EXCEPTIONS = [
	{
		rule: UNSORTED,
		why: "n8n's list of actions has this order, and begins with what people use",
		places: [
			'Gateway Text Generation > Resource',
			'Gateway Media Task > Resource',
			'Gateway Media Task > Operation',
		],
	},
	{
		rule: UNSORTED,
		why: 'a scale',
		places: [
			'Gateway Text Generation > Options > Reasoning Effort',
			'Gateway Chat Model > Options > Reasoning Effort',
		],
	},
	{
		rule: 'n8n-nodes-base/node-param-fixed-collection-type-unsorted-items',
		why: 'a row is filled in from top to bottom: its first field decides which others it has',
		places: [
			'Gateway Text Generation > Messages > Message',
			// Of each operation.
			...Array<string>(5).fill('Gateway Text Generation > Fields > Field'),
			'Gateway Chat Model > Fields > Field',
		],
	},
	{
		rule: '@n8n/community-nodes/webhook-lifecycle-complete',
		why: 'the webhook resumes an execution, and is not registered anywhere',
		places: ['nodes/MediaTask/MediaTask.node.ts'],
	},
];

interface Finding {
	place: string;
	rule: string;
	message: string;
}

const linter = new Linter({ cwd: repository });

/** The findings in a class, in whose source the value of a member is spelled out. */
function findings(path: string, member: string, value: unknown): Finding[] {
	const filename = resolve(repository, path);
	const declaration = new RegExp(`^\\t${member}: (\\S+) = .*?;\\n(?=\\n|\\})`, 'ms');
	const source = readFileSync(filename, 'utf8');
	if (!declaration.test(source)) throw new Error(`There is no member '${member}' in ${path}`);
	const written = source.replace(
		declaration,
		(_, type: string) => `\t${member}: ${type} = ${literal(value)};\n`,
	);
	const lines = written.split('\n');
	return linter
		.verify(written, config as Linter.Config[], { filename })
		.filter(({ ruleId }) => ruleId === null || N8N_RULES.test(ruleId))
		.map(({ ruleId, line, message }) => ({
			place: placeOf(lines, line) || path,
			rule: ruleId ?? 'parser',
			message,
		}));
}

/** JSON as code: the rules read keys without quotes, and n8n's names of connections. */
function literal(value: unknown): string {
	const json = JSON.stringify(value, null, '\t').replace(/^(\t+)"(\w+)":/gm, '$1$2:');
	return Object.entries(NodeConnectionTypes).reduce(
		(code, [name, type]) => code.replaceAll(`\n\t\t"${type}"`, `\n\t\tNodeConnectionTypes.${name}`),
		json,
	);
}

/** The labels around a line, from the outside in: each is the first of its object, and those around it are indented less. */
function placeOf(lines: readonly string[], line: number): string {
	const labels: string[] = [];
	let depth = (/^\t*/.exec(lines[line - 1] ?? '')?.[0].length ?? 0) + 1;
	for (const before of lines.slice(0, line).reverse()) {
		const [, indent = '', label] = /^(\t+)displayName: "(.*)",?$/.exec(before) ?? [];
		if (label === undefined || indent.length >= depth) continue;
		labels.unshift(label);
		depth = indent.length;
	}
	return labels.join(' > ');
}

const input = process.argv.includes('--stdin') ? readFileSync(0, 'utf8') : '{}';
const given = JSON.parse(input) as Record<string, unknown>;
const found = [
	...Object.values(packageNodes).flatMap(({ constructor: { name }, description }) =>
		findings(`nodes/${name}/${name}.node.ts`, 'description', given[name] ?? description),
	),
	...findings('credentials/AiGatewayApi.credentials.ts', 'properties', new AiGatewayApi().properties),
];
const unneeded = EXCEPTIONS.flatMap(({ rule, why, places }) =>
	places.flatMap((place) => {
		const index = found.findIndex((finding) => finding.rule === rule && finding.place === place);
		if (index === -1)
			return [`${place}: is no longer a finding of ${rule}: remove it from EXCEPTIONS (${why})`];
		found.splice(index, 1);
		return [];
	}),
);
const problems = [...unneeded, ...found.map(({ place, rule, message }) => `${place}: ${message} (${rule})`)];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
