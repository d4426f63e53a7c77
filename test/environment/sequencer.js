const { default: Sequencer } = require('@jest/test-sequencer');

/** They take longest, and jest does not know it in a new clone. */
const SLOW =
	/[\\/](model[\\/]histories\w*|options[\\/](others|tools)|client[\\/]rate|stories[\\/]balanceAlert)\.test\.ts$/;

/** Runs the slow files first, so that none is left alone at the end. */
module.exports = class SlowFirst extends Sequencer {
	sort(tests) {
		const sorted = super.sort(tests);
		const isSlow = ({ path }) => SLOW.test(path);
		return [...sorted.filter(isSlow), ...sorted.filter((test) => !isSlow(test))];
	}
};
