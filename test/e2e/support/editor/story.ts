import type { Browser } from 'playwright-core';
import type { GatewayOptions } from '../../../../sandbox/gateway/gateway';
import type { Stored, WorkflowJson } from '../../../../sandbox/n8n/types';
import { Environment } from '../environment';
import { Album } from './album';
import { signedIn, startBrowser } from './browser';
import { Editor } from './editor';

/** What a scene works with. */
export interface Stage {
	/** n8n and the gateway. */
	environment: Environment;
	/** The editor of that n8n, in a browser. */
	editor: Editor;
}

/** A test. Where it fails, a screenshot of the moment and the page's HTML are kept. */
export type Scene = (title: string, play: (stage: Stage) => Promise<void>) => void;

/**
 * Prepares n8n, the gateway and a browser for a file of tests that use the editor as people do.
 *
 * @param name the folder of the screenshots of failures
 * @returns what declares its tests
 */
export function story(name: string, gateway?: GatewayOptions): Scene {
	let environment: Environment | undefined;
	let browser: Browser | undefined;
	let editor: Editor | undefined;

	beforeAll(async () => {
		environment = await Environment.borrow(gateway);
		browser = await startBrowser();
		const page = await (await signedIn(browser, environment)).newPage();
		editor = new Editor(page, environment.client.url, new Album(name, page));
	});

	afterAll(async () => {
		await browser?.close();
		await environment?.close();
	});

	return (title, play) => {
		test(title, async () => {
			if (environment === undefined || editor === undefined) throw new Error('The stage is not set.');
			try {
				await play({ environment, editor });
			} catch (error) {
				// Whatever keeps it from being kept, the failure itself is what matters.
				await Promise.allSettled([editor.album.keepFailure(title)]);
				// The next scene loads the editor again.
				await editor.page.goto('about:blank');
				throw error;
			}
		});
	};
}

/** Opens a workflow, which is stored once. */
export function opening(workflow: WorkflowJson | Promise<WorkflowJson>): (stage: Stage) => Promise<void> {
	let stored: Stored | undefined;
	return async ({ editor, environment }) => {
		stored ??= await environment.store(await workflow);
		await editor.openWorkflow(stored);
	};
}
