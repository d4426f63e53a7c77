// What n8n's own config does not check of the nodes: names and texts from outside.
import redos from 'eslint-plugin-redos';
import tseslint from 'typescript-eslint';

import { outsideNames } from './scripts/eslint/outside-names.mjs';

export default tseslint.config({
	files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	languageOptions: {
		parser: tseslint.parser,
		parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
	},
	plugins: { redos, own: { rules: { 'outside-names': outsideNames } } },
	rules: {
		'own/outside-names': 'error',
		// Patterns take linear time. One that cannot be checked is an error, too.
		'redos/no-vulnerable': ['error', { ignoreErrors: false, timeout: 60_000 }],
	},
});
