import type { Browser } from 'playwright-core';

import { serveSignInLink } from '../../sandbox/demo/signIn';
import { loadExample } from '../../sandbox/n8n/workflows';
import { startBrowser } from './support/editor/browser';
import { useEnvironment, type Environment } from './support/environment';

let environment: Environment;
let browser: Browser;

afterAll(async () => {
	await browser?.close();
});
useEnvironment((started) => (environment = started));
beforeAll(async () => {
	browser = await startBrowser();
});

test('the link of the demo opens the workflow without a sign-in page', async () => {
	const { client } = environment;
	const { id } = await client.createWorkflow(await loadExample('text-to-media'));
	const link = await serveSignInLink(`${client.url}/workflow/${id}`, client.session);
	const page = await browser.newPage();
	try {
		await page.goto(link.url);
		await page.locator('[data-test-id="canvas-node"][data-node-name="Draw picture"]').waitFor();
		expect(page.url()).toContain(`/workflow/${id}`);
		const other = await fetch(new URL('/other', link.url), { redirect: 'manual' });
		expect(other.headers.get('set-cookie')).toBeNull();
	} finally {
		await link.close();
	}
}, 120_000);
