// What `npm run mutation` mutates, folder by folder, and the tests that hold each folder.

/**
 * @typedef {object} Area
 * @property {string[]} mutate globs of the sources
 * @property {string[]} tests globs of the test files that run against each mutant
 */

/** @type {Record<string, Area>} */
export const areas = {
	client: {
		mutate: ['nodes/shared/gateway/*.ts', 'nodes/shared/gateway/errorTexts/*.ts'],
		tests: ['test/shared/gateway/**/*.test.ts'],
	},
	formats: {
		mutate: ['nodes/shared/gateway/formats/**/*.ts'],
		tests: ['test/shared/gateway/**/*.test.ts', 'test/nodes/text/*.test.ts'],
	},
	execution: {
		mutate: ['nodes/shared/execution/*.ts'],
		tests: [
			'test/shared/execution/*.test.ts',
			'test/nodes/itemLoop*.test.ts',
			'test/nodes/mediaTask{Callbacks,Resume,Suspend}*.test.ts',
			'test/nodes/mediaTaskWait*.test.ts',
			'test/nodes/storage*.test.ts',
		],
	},
	mediaTask: {
		mutate: ['nodes/MediaTask/**/*.ts'],
		tests: [
			'test/nodes/mediaTask*.test.ts',
			'test/nodes/callbackAddress.test.ts',
			'test/nodes/wakeUp*.test.ts',
		],
	},
	trigger: {
		mutate: ['nodes/MediaTaskTrigger/*.ts'],
		tests: ['test/nodes/mediaTaskTrigger/*.test.ts'],
	},
	chatModel: {
		mutate: ['nodes/ChatModel/**/*.ts'],
		tests: ['test/nodes/chatModel/*.test.ts'],
	},
	textGeneration: {
		mutate: ['nodes/TextGeneration/**/*.ts'],
		tests: ['test/nodes/text/*.test.ts'],
	},
};
