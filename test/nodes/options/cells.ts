import { costRows } from './costRows';
import { mediaRows } from './mediaRows';
import type { Place, Row } from './places';
import { hasNoEffect, requestRows } from './requestRows';
import { textRows } from './textRows';

// The table "option × place".

/** The rows of operations that are tools of an agent: what limits a call, and what changes its output. */
const TOOL_ROWS: Readonly<Record<string, Row>> = { ...requestRows, ...costRows, ...mediaRows };

export const ROWS: Readonly<Record<string, Row>> = { ...TOOL_ROWS, ...textRows };

/** A test for each option of these places. */
export function testEach(chosen: readonly Place[]): void {
	const cells = chosen.flatMap((place) =>
		place.options.flatMap((option) => {
			const row = (place.asTool ? TOOL_ROWS : ROWS)[option];
			const isLeftOut = hasNoEffect(place, option) || (place.asTool && option === 'concurrency');
			return row && !isLeftOut ? [{ option, name: place.name, place, row }] : [];
		}),
	);
	test.each(cells)('$option: $name', async ({ place, row }) => {
		expect(await row.see(place)).toStrictEqual(row.right(place));
	});
}
