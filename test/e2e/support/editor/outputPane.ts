import type { Locator, Page } from 'playwright-core';
import { eventually } from '../eventually';

/** What a node gave: the right column of its panel. */
export class OutputPane {
	constructor(private readonly page: Page) {}

	get root(): Locator {
		return this.page.getByTestId('output-panel');
	}

	/** Changes the way in which the items are shown. */
	async show(view: 'schema' | 'table' | 'json' | 'binary'): Promise<void> {
		await this.root.getByTestId(`radio-button-${view}`).click();
	}

	/** The items, read off the JSON view: no click of the user, who sees them in any view. */
	async items(): Promise<Array<Record<string, unknown>>> {
		await this.root.getByTestId('radio-button-json').dispatchEvent('click');
		return await eventually(async () => {
			const text = await this.root.locator('.json-data').innerText();
			// Indented by spaces that do not break, which JSON does not know.
			return JSON.parse(text.replace(/\u00a0/g, ' ')) as Array<Record<string, unknown>>;
		});
	}

	/** Opens the first file of the binary view. */
	async viewFile(): Promise<Locator> {
		await this.show('binary');
		await this.root.getByTestId('ndv-view-binary-data').first().click();
		return this.root.locator('.binary-data-window');
	}

	/** From an opened file back to the list of files. */
	async backToFiles(): Promise<void> {
		await this.root.getByText('Back to list').click();
	}

	/** The headline of an error. */
	get errorMessage(): Locator {
		return this.root.getByTestId('node-error-message');
	}

	/** What an error says besides: what to do. */
	get errorDescription(): Locator {
		return this.root.getByTestId('node-error-description');
	}

	/** One of the facts below *Other info* of an error. */
	async errorFact(name: string): Promise<string> {
		await this.root.getByText('Other info').click();
		const row = this.root.locator('.node-error-view__details-row').filter({ hasText: name });
		return await row.locator('.node-error-view__details-value').innerText();
	}
}
