import type { Locator, Page, Request } from 'playwright-core';
import { eventually } from '../eventually';

/** The window in which a credential is filled in. */
export class CredentialForm {
	/** What has not been saved. */
	private readonly filledIn = new Map<string, string>();

	constructor(private readonly page: Page) {}

	get root(): Locator {
		return this.page.getByTestId('editCredential-modal');
	}

	/** Opens it from a node that has no credential yet. */
	async openNew(): Promise<void> {
		await this.page.getByTestId('node-credentials-empty-state').click();
		await this.root.waitFor();
	}

	/** Opens the node's credential. */
	async openChosen(): Promise<void> {
		await this.page.getByTestId('credential-edit-button').click();
		await this.root.waitFor();
	}

	/** Fills in a field. */
	async fill(name: string, value: string): Promise<void> {
		await this.root.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
		this.filledIn.set(name, value);
	}

	/**
	 * Saves, and waits until n8n has tested what was filled in. While n8n still saves, it ignores the button; and it takes a
	 * value over a moment after it was filled in: until then, it saves the one before.
	 */
	async save(): Promise<void> {
		const values = [...this.filledIn.values()];
		this.filledIn.clear();
		const isTest = (sent: Request) =>
			sent.url().endsWith('/rest/credentials/test') &&
			values.every((value) => sent.postData()?.includes(JSON.stringify(value)));
		const button = this.root.getByTestId('credential-save-button');
		const clicked = eventually(async () => {
			const timeout = 10_000;
			await Promise.all([this.page.waitForRequest(isTest, { timeout }), button.click({ timeout })]);
		}, 40_000);
		await Promise.all([this.page.waitForResponse((response) => isTest(response.request())), clicked]);
	}

	/** What the form says of a test that failed, with its details. */
	async failure(): Promise<string> {
		const banner = this.root.locator('.el-tag--danger').filter({ hasText: 'Couldn’t connect' });
		await banner.waitFor();
		const more = banner.getByText('More details');
		if (await more.isVisible()) await more.click();
		return await banner.innerText();
	}

	/** Closes it. */
	async close(): Promise<void> {
		await this.root.locator('.el-dialog__headerbtn').click();
		await this.root.waitFor({ state: 'hidden' });
	}
}
