import { flag, notForTools, text } from '../params/kinds';

// Parameters of every node that returns the result of a media task.

export const downloadResults = flag({
	displayName: 'Download Results',
	default: true,
	description:
		'Whether to download the generated files into binary fields, in addition to returning their URLs, which work for 7 days',
	...notForTools,
});

export const binaryPropertyName = text({
	displayName: 'Put Output File in Field',
	default: 'data',
	placeholder: 'e.g. data',
	description:
		"The name of the output binary field to put the file in. Further files get _1, _2 … appended. Defaults to 'data'.",
});
