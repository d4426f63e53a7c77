import { inputFile, several } from '../params/kinds';

export const binaryFields = several(
	inputFile({
		displayName: 'Input Binary Fields',
		default: 'data',
		required: true,
		placeholder: 'e.g. data',
		description:
			'The names of the input binary fields containing the files, separated by commas. For all files of the item: {{ Object.keys($binary) }}.',
	}),
	/,/,
);
