import type { Locator, Page } from 'playwright-core';

/** The list in which users look for nodes. */
export class NodeCreator {
	constructor(private readonly page: Page) {}

	get root(): Locator {
		return this.page.getByTestId('node-creator');
	}

	/** The entries found. */
	get items(): Locator {
		return this.root.getByTestId('node-creator-item-name');
	}

	/** Opens it by the canvas's plus. */
	async open(): Promise<void> {
		const pluses = ['canvas-plus-button', 'node-creator-plus-button'];
		await this.page
			.locator(pluses.map((id) => `[data-test-id="${id}"]:visible`).join(', '))
			.first()
			.click();
		await this.root.waitFor();
	}

	/** Closes it, if it is open. */
	async close(): Promise<void> {
		if (!(await this.root.isVisible())) return;
		await this.page.locator('.vue-flow__pane').click({ position: { x: 200, y: 100 } });
		await this.root.waitFor({ state: 'hidden' });
	}

	/**
	 * Types into the search bar, and waits until what an earlier search has found is gone: n8n searches a moment after
	 * the last letter.
	 */
	async search(words: string): Promise<void> {
		const bar = this.root.getByTestId('node-creator-search-bar');
		if ((await bar.inputValue()) !== '') {
			await bar.fill('');
			await this.items
				.filter({ hasText: /^\s*Gateway/ })
				.first()
				.waitFor({ state: 'hidden' });
		}
		await bar.fill(words);
	}

	/** The entry of a node. */
	item(name: string): Locator {
		return this.items.filter({ hasText: new RegExp(`^\\s*${name}\\s*$`) });
	}

	/** Opens the entry of a node, and unfolds what it can do. */
	async openItem(name: string): Promise<void> {
		await this.item(name).click();
		await this.details.waitFor();
		await this.unfold();
	}

	/**
	 * Adds a node to the canvas, which opens its panel.
	 * @param action one of the things that the node can do; of a node that has none, its single button. Tools of an
	 *   agent are added by their entry at once
	 */
	async choose(name: string, action = 'Add to workflow'): Promise<void> {
		await this.item(name).click();
		const panel = this.page.getByTestId('ndv');
		await this.details.or(panel).waitFor();
		if (await panel.isVisible()) return;
		// Actions of a node that has triggers, too, are folded in.
		const wanted = this.action(action);
		await wanted.or(this.folds).first().waitFor();
		if (!(await wanted.isVisible())) await this.unfold();
		await wanted.click();
	}

	/** One of the things that the node whose entry is open can do. */
	action(name: string): Locator {
		return this.root.getByText(name, { exact: true });
	}

	/** What tells that the page of a single node is open. */
	private get details(): Locator {
		return this.root.getByText('Node details', { exact: true });
	}

	private get folds(): Locator {
		return this.root.locator('[data-category-collapsed="true"]');
	}

	private async unfold(): Promise<void> {
		while ((await this.folds.count()) > 0) await this.folds.first().click();
	}
}
