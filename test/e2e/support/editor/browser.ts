import { chromium, selectors, type Browser, type BrowserContext } from 'playwright-core';
import { findProgram } from '../../../../sandbox/n8n/programs';
import type { Environment } from '../environment';
import { countInteractions } from './interactions';

/** The size of the editor's window: that of a common laptop. */
export const windowSize = { width: 1440, height: 900 };

/** Ends a step that hangs, on any machine; milliseconds. */
const STEP_TIMEOUT = 90_000;

/** Starts the browser that `scripts/programs.mjs` has found, without a window. */
export async function startBrowser(): Promise<Browser> {
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath: findProgram('browser'),
		// Chromium refuses to run as root, as in containers, with its sandbox. It sees this machine's n8n only.
		args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
	});
}

/** A profile of its own, signed in to n8n as its owner. */
export async function signedIn(browser: Browser, { client }: Environment): Promise<BrowserContext> {
	const context = await browser.newContext({
		viewport: windowSize,
		locale: 'en-GB',
		timezoneId: 'UTC',
		colorScheme: 'light',
		reducedMotion: 'reduce',
		permissions: ['clipboard-read', 'clipboard-write'],
	});
	context.setDefaultTimeout(STEP_TIMEOUT);
	await countInteractions(context);
	const [name = '', value = ''] = client.session.split('=');
	await context.addCookies([{ name, value, url: client.url }]);
	return context;
}
