// The rules for everything that is not shipped: tests, sandbox, benchmarks, scripts.
// What is shipped (nodes, credentials, package.json) is held to n8n's own config, eslint.config.mjs.
import eslint from '@eslint/js';
import jest from 'eslint-plugin-jest';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{
		ignores: [
			'**/node_modules/**',
			'dist/**',
			'.sandbox/**',
			'test-results/**',
			'test/n8nVersions/floor/**',
			'nodes/**',
			'credentials/**',
		],
	},
	eslint.configs.recommended,
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommendedTypeChecked],
		languageOptions: {
			parserOptions: { project: './tsconfig.tooling.json', tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			'@typescript-eslint/no-non-null-assertion': 'error',
			'@typescript-eslint/no-explicit-any': 'error',
			'@typescript-eslint/consistent-type-imports': 'error',
		},
	},
	{
		files: ['test/**/*.test.ts'],
		...jest.configs['flat/recommended'],
		rules: {
			...jest.configs['flat/recommended'].rules,
			// `toEqual` takes `['a', undefined]` for `['a']`.
			'jest/prefer-strict-equal': 'error',
			'jest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*'] }],
			// `scene` of test/e2e/support/editor/story.ts is a test.
			'jest/no-standalone-expect': ['error', { additionalTestBlockFunctions: ['scene'] }],
		},
	},
	{
		files: ['**/*.{js,mjs}'],
		languageOptions: {
			globals: {
				process: 'readonly',
				console: 'readonly',
				require: 'readonly',
				module: 'writable',
				exports: 'writable',
				fetch: 'readonly',
				URL: 'readonly',
				setTimeout: 'readonly',
			},
		},
	},
);
