import { table } from './measure';

/** One line of the summary. */
export interface Headline {
	what: string;
	/** This package's figure, with its unit. */
	ours: string;
	/** The others' figures in the same run, as ratios to this package's or to the ideal. */
	compared: string;
	/** The target; empty for a mere comparison. */
	aim: string;
	/** Whether the target is met; undefined without one. */
	met?: boolean;
}

/** The result of a benchmark. */
export interface Report {
	/** The method and the tables, in Markdown. */
	details: string;
	headlines: Headline[];
}

/** All headlines as one table. */
export function summary(headlines: Headline[]): string {
	return table(
		['what', 'this package', 'compared in the same run', 'aim', 'met'],
		headlines.map(({ what, ours, compared, aim, met }) => [
			what,
			ours,
			compared,
			aim,
			met === undefined ? '' : met ? 'yes' : 'NO',
		]),
	);
}
