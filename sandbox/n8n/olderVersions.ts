import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { image } from './container';
import { findRuntime, runtimeModules } from './runtime';

// What differs between the versions of n8n for the sandbox, which runs all of them from 1.123 on.

/** Whether the n8n to run is of this version or a later one, such as `2.16` or `1.123.81`. An image is taken for a new one. */
export function isN8nAtLeast(version: string): boolean {
	if (image !== undefined) return true;
	const wanted = version.split('.').map(Number);
	const own = findRuntime().version.split('.').map(Number);
	for (const [index, number] of wanted.entries()) {
		if (own[index] !== number) return (own[index] ?? 0) > number;
	}
	return true;
}

const version1 = {
	// Otherwise binary data is in memory,
	N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
	// and the state of an execution is stored before its data.
	DB_SQLITE_POOL_SIZE: '2',
};

/** The environment variables that an older n8n needs, or does not understand: those have no value. */
export function olderEnvironment(): Record<string, string> {
	const hasRegistry =
		image === undefined && existsSync(join(runtimeModules, 'n8n', 'dist', 'modules', 'mcp-registry'));
	return {
		...(hasRegistry ? {} : { N8N_DISABLED_MODULES: '' }),
		...(isN8nAtLeast('2') ? {} : version1),
	};
}

/** An n8n that publishes workflows; in older ones they are switched on. */
export const PUBLISHING = '2.0';

/** An n8n that runs a workflow as it is stored; to older ones (2.3 at least) the request brings it along. */
export const RUN_BY_ID = '2.20';

/** What an older n8n does not fill in when it stores a workflow. */
export const olderDefaults = { active: false };

/** Whether an error means that an execution has no data yet, on which an n8n 2.20 fails. */
export function isNotStoredYet({ status, body }: { status: number; body: string }): boolean {
	return status === 500 && body.includes("reading 'resultData'");
}
