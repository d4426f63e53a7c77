import fc, { type StringConstraints } from 'fast-check';

/** Characters that are no halves of others. `unit: 'binary'` of fast-check makes a table of all of them first. */
const character = fc
	.nat({ max: 0x10_ff_ff - 0x8_00 })
	.map((code) => String.fromCodePoint(code < 0xd8_00 ? code : code + 0x8_00));

/** Texts of any characters of Unicode. */
export const anyText = (constraints: Omit<StringConstraints, 'unit'> = {}) =>
	fc.string({ ...constraints, unit: character });
