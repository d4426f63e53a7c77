import type { Locator, Page } from 'playwright-core';
import { eventually } from '../eventually';

/** The chat with a workflow, and the log of what its nodes did, both below the canvas. */
export class Chat {
	constructor(private readonly page: Page) {}

	/** Opens it, says something, and waits for the answer. */
	async ask(text: string): Promise<string> {
		const box = this.page.getByTestId('chat-input');
		if (!(await box.isVisible())) await this.page.getByTestId('workflow-chat-button').click();
		await box.fill(text);
		await box.press('Enter');
		const answer = this.page
			.getByTestId('canvas-chat-body')
			.locator('.chat-message-from-bot .chat-message-markdown')
			.last();
		await answer.waitFor();
		return await answer.innerText();
	}

	/** The log's line of each node. */
	get log(): Locator {
		return this.page.getByTestId('logs-overview-body');
	}

	/** Opens a node's last entry in the log, when it has so many. */
	async openLog(node: string, entries: number): Promise<Locator> {
		const details = this.page.getByTestId('log-details').filter({ hasText: node });
		await eventually(async () => {
			await this.log
				.getByText(node)
				.nth(entries - 1)
				.click();
			await details.waitFor({ timeout: 5_000 });
		});
		return details;
	}

	/** Shows what the node of the open entry gave with all its fields; at first it is the text alone. */
	async showLogAsTable(): Promise<void> {
		const output = this.page.getByTestId('log-details-output');
		// The choice of views is there only while somebody points at the output.
		await output.hover();
		await output.getByTestId('radio-button-table').click();
	}
}
