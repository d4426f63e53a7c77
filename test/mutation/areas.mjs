// What `npm run mutation` mutates, area by area, and the tests that hold each area.

/**
 * @typedef {object} Area
 * @property {string[]} mutate globs of the sources
 * @property {string[]} tests globs of the test files that run against each mutant
 */

/** @type {Record<string, Area>} */
export const areas = {
	client: {
		mutate: ['client', 'endpoints', 'errors', 'media', 'util'].map(
			(folder) => `nodes/shared/gateway/${folder}/**/*.ts`,
		),
		tests: ['test/gateway/**/*.test.ts', 'test/reports/errors.test.ts', 'test/stories/media.test.ts'],
	},
	formats: {
		mutate: ['nodes/shared/gateway/text/**/*.ts'],
		tests: [
			'test/gateway/text/**/*.test.ts',
			'test/nodes/text/*.test.ts',
			'test/contract/{costs,fallbacks,texts}.test.ts',
			'test/stories/{costs,files,media,texts}.test.ts',
			'test/reports/*.test.ts',
		],
	},
	execution: {
		mutate: ['fields', 'n8n', 'params', 'run'].map((folder) => `nodes/shared/${folder}/**/*.ts`),
		tests: [
			'test/{fields,n8n,params,run}/*.test.ts',
			'test/gateway/client/client.test.ts',
			'test/contract/costs.test.ts',
			'test/{reports,stories}/*.test.ts',
			'test/nodes/mediaTask/{creation,results,resumeCalls,suspension}.test.ts',
			'test/nodes/storage/*.test.ts',
		],
	},
	mediaTask: {
		mutate: ['nodes/MediaTask/**/*.ts'],
		tests: [
			'test/nodes/*.test.ts',
			'test/nodes/mediaTask/*.test.ts',
			'test/contract/{costs,media}.test.ts',
			'test/{reports,stories}/*.test.ts',
		],
	},
	trigger: {
		mutate: ['nodes/MediaTaskTrigger/*.ts'],
		tests: [
			'test/nodes/*.test.ts',
			'test/nodes/mediaTaskTrigger/*.test.ts',
			'test/{reports,stories}/trigger.test.ts',
		],
	},
	chatModel: {
		mutate: ['nodes/ChatModel/**/*.ts'],
		tests: [
			'test/nodes/*.test.ts',
			'test/nodes/chatModel/*.test.ts',
			'test/contract/{costs,fallbacks,media,texts}.test.ts',
			'test/reports/agents.test.ts',
			'test/stories/agent.test.ts',
		],
	},
	textGeneration: {
		mutate: ['nodes/TextGeneration/**/*.ts'],
		tests: [
			'test/{nodes,reports}/*.test.ts',
			'test/nodes/text/*.test.ts',
			'test/contract/{fallbacks,texts}.test.ts',
		],
	},
	storage: {
		mutate: ['nodes/Storage/**/*.ts'],
		tests: ['test/nodes/*.test.ts', 'test/nodes/storage/*.test.ts', 'test/stories/storage.test.ts'],
	},
	balance: {
		mutate: ['nodes/Balance/**/*.ts', 'nodes/BalanceTrigger/*.ts'],
		tests: ['test/nodes/*.test.ts', 'test/reports/balance.test.ts', 'test/stories/balanceAlert.test.ts'],
	},
	credentials: {
		mutate: ['credentials/*.ts'],
		tests: ['test/nodes/*.test.ts', 'test/n8n/credentials.test.ts', 'test/contract/accounts.test.ts'],
	},
};
