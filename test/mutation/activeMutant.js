/** The mutant that this run of jest is about, as StrykerJS names it; `undefined` in the first run, which has none. */
exports.activeMutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;
