import type { Locator, Page } from 'playwright-core';
import { eventually } from '../eventually';
import { OutputPane } from './outputPane';

/** How an execution from the panel ended. */
export interface Outcome {
	ok: boolean;
	/** What n8n's message says. */
	message: string;
}

interface ExpectedError {
	message: string;
	/** A part of the description. */
	hint: string;
	/** The item that it names, from 0. */
	item: number;
}

/** The panel of a node: its parameters in the middle, its output on the right. */
export class NodePanel {
	readonly output: OutputPane;

	constructor(private readonly page: Page) {
		this.output = new OutputPane(page);
	}

	get root(): Locator {
		return this.page.getByTestId('ndv');
	}

	/** The column in the middle, with the parameters. */
	get column(): Locator {
		return this.root.locator('.node-settings');
	}

	/** Scrolls a parameter to where it can be seen. */
	async scrollTo(name: string): Promise<void> {
		await this.input(name).scrollIntoViewIfNeeded();
	}

	/** What a parameter is entered in. */
	input(name: string): Locator {
		return this.root.getByTestId(`parameter-input-${name}`);
	}

	/** The text field of a parameter. */
	field(name: string): Locator {
		return this.input(name).locator('input, textarea').first();
	}

	/** Drags a field of the input into the first place that takes it, where its expression then stands. */
	async drag(name: string, expression: string): Promise<void> {
		const field = this.root.locator(`[data-name="${name}"]`).first();
		await field.waitFor();
		const target = await this.root.getByTestId('drop-area').first().boundingBox();
		const source = await field.boundingBox();
		if (!source || !target) throw new Error('Nothing can be dragged');
		const { mouse } = this.page;
		await mouse.move(source.x + source.width / 2, source.y + source.height / 2);
		await mouse.down();
		await mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 12 });
		await mouse.up();
		await this.root.getByText(expression).first().waitFor();
	}

	/** Fills in a text or a number. */
	async fill(name: string, text: string): Promise<void> {
		await this.field(name).fill(text);
		await this.field(name).blur();
	}

	/**
	 * Enters an expression in place of a fixed value or another expression.
	 * @param value what it gives: n8n shows it below the field when it has taken the expression over
	 */
	async express(name: string, expression: string, value: string): Promise<void> {
		await this.input(name).hover();
		// Fields of a form are values of one parameter.
		const options = new RegExp(`^(${name}|value\\["${name}"\\])-parameter-input-options-container$`);
		const button = this.root.getByTestId(options).getByTestId('radio-button-expression');
		// It is an expression already.
		if (!(await this.input(name).locator('.cm-content').isVisible())) await button.click();
		await this.input(name).locator('.cm-content').fill(expression);
		await this.column.getByText(value, { exact: true }).waitFor();
	}

	/** Clicks the sparkle button of a parameter: the agent's model fills it in. */
	async letModelFill(name: string): Promise<void> {
		await this.input(name).hover();
		const label = this.root.getByTestId(`${name}-parameter-input-persistent-options-container`);
		await label.getByTestId('from-ai-override-button').click();
		await this.root.getByTestId('fromAI-override-field').waitFor();
	}

	/** Unfolds a drop-down, and tells its entries. */
	async openDropdown(name: string): Promise<string[]> {
		// It cannot be used while its entries are being asked for.
		const field = this.input(name).locator('input').first();
		await eventually(async () => expect(await field.isEnabled()).toBe(true));
		await this.input(name).click();
		await this.entries.first().waitFor();
		return await this.entries.locator('.option-headline').allInnerTexts();
	}

	/** Folds a drop-down in again. */
	async closeDropdown(name: string): Promise<void> {
		await this.input(name).click();
		await this.entries.first().waitFor({ state: 'hidden' });
	}

	/** Chooses from a drop-down that may be unfolded already. */
	async choose(name: string, label: string): Promise<void> {
		if (!(await this.entries.first().isVisible())) await this.openDropdown(name);
		const headline = this.page.locator('.option-headline').getByText(label, { exact: true });
		await this.entries.filter({ has: headline }).click();
		await this.entries.first().waitFor({ state: 'hidden' });
	}

	/** The entries of the drop-down that is unfolded. */
	private get entries(): Locator {
		return this.page.locator('[role="option"]:visible');
	}

	/** Unfolds the model picker, and waits for its list. */
	async openPicker(): Promise<void> {
		// n8n shows a new panel before it has chosen the credential, and then forgets the list that it has read.
		const credential = this.root.getByTestId('node-credentials-select').locator('input');
		if ((await credential.count()) > 0)
			await eventually(async () => expect(await credential.inputValue()).not.toBe(''));
		const picker = this.root.getByTestId('rlc-input');
		await picker.click();
		await eventually(async () => {
			try {
				await this.models.first().waitFor({ timeout: 5_000 });
			} catch (error) {
				// It also forgets the list when anything else of the node changes. A picker that is opened again reads it again.
				await this.root.getByTestId('tab-params').dispatchEvent('click');
				await picker.focus();
				throw error;
			}
		});
	}

	/** The entries of the model picker. */
	get models(): Locator {
		return this.page.locator('[data-test-id="rlc-item"]:visible');
	}

	/** Narrows the list of the model picker. */
	async searchModels(words: string): Promise<void> {
		await this.page.locator('[data-test-id="rlc-search"]:visible').fill(words);
	}

	/** Chooses from the unfolded model picker. */
	async chooseModel(id: string): Promise<void> {
		await this.models.filter({ hasText: id }).click();
		await this.models.first().waitFor({ state: 'hidden' });
	}

	/** Chooses a model from the list, by a search. */
	async pickModel(id: string): Promise<void> {
		await this.openPicker();
		await this.searchModels(id);
		await this.chooseModel(id);
	}

	/** The fields of a model's form that the user can add. */
	async openFields(): Promise<Locator> {
		await this.root.getByTestId('add-fields-select').getByRole('button').click();
		const menu = this.page.locator('[role="menu"][data-state="open"]');
		await menu.waitFor();
		return menu.getByRole('menuitem');
	}

	/** Adds a field to a model's form. */
	async addField(label: string): Promise<void> {
		const fields = await this.openFields();
		await fields.getByText(label, { exact: true }).click();
		await fields.first().waitFor({ state: 'detached' });
	}

	/** Adds a row of *Files*. The form of the model comes first: it moves the button while it is clicked. */
	async addFile(): Promise<void> {
		await this.root.getByTestId('add-fields-select').waitFor();
		await this.root.getByRole('button', { name: 'Add File' }).click();
		await this.root.getByText('Target Field Name or ID', { exact: true }).waitFor();
	}

	/** Adds an entry of the collection *Options*. */
	async addOption(label: string): Promise<void> {
		await this.root.getByTestId('collection-parameter-add').last().click();
		await this.page.getByText(label, { exact: true }).click();
	}

	/** Adds an option to the group that was added last. */
	async addToGroup(label: string): Promise<void> {
		await this.root.getByTestId('collection-parameter-add').nth(-2).click();
		await this.page.getByText(label, { exact: true }).click();
	}

	/** Runs the node, and waits for its end. */
	async execute(button = this.root.getByTestId('node-execute-button')): Promise<Outcome> {
		await this.clearMessages();
		await button.click();
		return await this.outcome();
	}

	/** Runs the node, and checks the error that the panel shows. n8n appends the item where there are several. */
	async expectError({ message, hint, item }: ExpectedError): Promise<void> {
		const outcome = await this.execute();
		expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining(message) as string });
		expect(await this.output.errorMessage.innerText()).toBe(`${message} [item ${item}]`);
		expect(await this.output.errorDescription.innerText()).toContain(hint);
		expect(await this.output.errorFact('Item Index')).toBe(String(item));
	}

	/** Tries to run a node in which something is missing, and gives n8n's refusal. */
	async refuse(): Promise<string> {
		await this.root.getByTestId('node-execute-button').click();
		const message = this.messages.filter({ hasText: 'cannot start' }).first();
		await message.waitFor();
		return await message.innerText();
	}

	/** Lets a trigger wait for a call of its test URL. */
	async startListening(): Promise<void> {
		await this.clearMessages();
		await this.root.getByTestId('node-execute-button').click();
		await this.root.getByTestId('trigger-listening').waitFor();
	}

	/** Waits for n8n's message about an execution. */
	async outcome(): Promise<Outcome> {
		const message = this.messages.filter({ hasText: /executed successfully|Problem in/ }).first();
		await message.waitFor();
		const text = await message.innerText();
		return { ok: text.includes('successfully'), message: text };
	}

	/** Takes n8n's messages away, which cover a corner of the window: no click of the user, for whom they go by themselves. */
	async clearMessages(): Promise<void> {
		await eventually(async () => {
			const close = this.messages.first().locator('.el-notification__closeBtn');
			if (await close.isVisible()) await close.dispatchEvent('click', {}, { timeout: 2_000 });
			if ((await this.messages.count()) > 0) throw new Error('There are still messages.');
		});
	}

	private get messages(): Locator {
		return this.page.locator('.el-notification:visible');
	}

	/** Back to the canvas. */
	async close(): Promise<void> {
		await this.root.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}
}
