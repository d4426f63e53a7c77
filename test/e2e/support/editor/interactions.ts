import type { BrowserContext, Page } from 'playwright-core';

/** What a user has done in the editor. */
export interface Interactions {
	clicks: number;
	/** Fields that were filled in. */
	fields: number;
}

/** Counts what the user does, not what scripts do. */
const COUNTER = `
	const counts = (window.interactions = { clicks: 0, fields: 0 });
	let filledIn;
	const on = (type, listener) =>
		addEventListener(type, (event) => event.isTrusted && listener(event.target), { capture: true });
	on('pointerdown', () => counts.clicks++);
	on('input', (field) => {
		if (field !== filledIn) counts.fields++;
		filledIn = field;
	});
	on('focusout', () => (filledIn = undefined));
`;

/** Counts in each page that is opened from now on. */
export async function countInteractions(context: BrowserContext): Promise<void> {
	await context.addInitScript(COUNTER);
}

/** Counts from 0 again. */
export async function restartCount(page: Page): Promise<void> {
	await page.evaluate('Object.assign(window.interactions, { clicks: 0, fields: 0 })');
}

/** What has been counted so far. */
export async function countedIn(page: Page): Promise<Interactions> {
	return await page.evaluate<Interactions>('({ ...window.interactions })');
}
