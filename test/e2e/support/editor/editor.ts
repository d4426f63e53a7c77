import type { Locator, Page } from 'playwright-core';
import { eventually } from '../eventually';
import type { Album } from './album';
import { Chat } from './chat';
import { CredentialForm } from './credentialForm';
import { countedIn, restartCount, type Interactions } from './interactions';
import { NodeCreator } from './nodeCreator';
import { NodePanel } from './nodePanel';

/** n8n's editor in a browser, as its user sees it. */
export class Editor {
	readonly creator: NodeCreator;
	readonly panel: NodePanel;
	readonly credential: CredentialForm;
	readonly chat: Chat;

	constructor(
		readonly page: Page,
		private readonly url: string,
		/** Its pictures. */
		readonly album: Album,
	) {
		this.creator = new NodeCreator(page);
		this.panel = new NodePanel(page);
		this.credential = new CredentialForm(page);
		this.chat = new Chat(page);
		// n8n asks before a workflow that is not saved is left.
		page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
	}

	/** An empty canvas. One that is there already is not loaded again. */
	async newWorkflow(): Promise<void> {
		const plus = this.page.getByTestId('canvas-plus-button');
		if (await plus.isVisible()) await this.creator.close();
		else await this.go(`${this.url}/workflow/new`);
		await plus.waitFor();
		await restartCount(this.page);
	}

	/**
	 * What the user has done since the canvas was empty: each click, that which opens the list of nodes included, and
	 * each field that was filled in, searches included. A choice from a list is two clicks, a drag is one, and to click
	 * into a field is none. The credential was made before.
	 */
	async interactions(): Promise<Interactions> {
		return await countedIn(this.page);
	}

	/** The editor in another tab of the browser. */
	async inNewTab(): Promise<Editor> {
		return new Editor(await this.page.context().newPage(), this.url, this.album);
	}

	/** The canvas of a stored workflow. One that is there already is not loaded again. */
	async openWorkflow({ id }: { id: string }): Promise<void> {
		const url = `${this.url}/workflow/${id}`;
		if (!this.page.url().startsWith(url)) await this.go(url);
		else if (await this.panel.root.isVisible()) await this.panel.close();
		await this.page.getByTestId('canvas-node').first().waitFor();
	}

	/** Goes to a workflow by way of the overview, as people do: to load the editor again takes seconds. */
	private async go(url: string): Promise<void> {
		if (!this.page.url().startsWith(this.url)) return void (await this.page.goto(url));
		// n8n takes over what was entered last as it closes the panel.
		if (await this.panel.root.isVisible()) await this.panel.close();
		const leave = this.page.getByRole('button', { name: 'Leave without saving' });
		// The canvas of a workflow that n8n saves first goes and comes back before.
		const overview = this.page
			.getByTestId('resources-list-wrapper')
			.or(this.page.getByTestId('list-empty-state'))
			.first();
		// n8n may save the workflow, and stay there.
		await eventually(async () => {
			await this.navigate(`${this.url}/home/workflows`);
			await leave.or(overview).first().waitFor({ timeout: 10_000 });
			if (await leave.isVisible()) await leave.click();
			await overview.waitFor({ timeout: 10_000 });
		});
		await this.navigate(url);
	}

	private async navigate(url: string): Promise<void> {
		const script = `history.pushState(null, '', ${JSON.stringify(url)}); dispatchEvent(new PopStateEvent('popstate'))`;
		await this.page.evaluate(script);
	}

	/** A node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/** Opens a node's panel by a double click. */
	async openNode(name: string): Promise<NodePanel> {
		await this.node(name).dblclick();
		await this.panel.root.waitFor();
		return this.panel;
	}

	/** Runs the whole workflow, and does not wait for its end. */
	async execute(): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').click();
	}

	/** Brings the whole workflow into view: no click of the user, who scrolls. */
	async fit(): Promise<void> {
		await this.page.getByTestId('zoom-to-fit').dispatchEvent('click');
	}

	/**
	 * Takes the documentation's picture of a node, if it is to be renewed.
	 * @param name that of the node
	 * @param height pixels, from the top of the panel
	 */
	async image(name: string, height: number): Promise<void> {
		await this.panel.clearMessages();
		await this.album.image(name, [this.panel.column, this.panel.output.root], height);
	}

	/** The clipboard's text. */
	async clipboard(): Promise<string> {
		return await this.page.evaluate<string>('navigator.clipboard.readText()');
	}

	/** Adds a node as the first one, and gives its open panel. */
	async addFirst(words: string, name: string, action?: string): Promise<NodePanel> {
		await this.creator.open();
		return await this.add(words, name, action);
	}

	/** Adds a node behind another one. */
	async addBehind(node: string, words: string, name: string, action?: string): Promise<NodePanel> {
		await this.openCreatorAt(node, 'output', 'main');
		return await this.add(words, name, action);
	}

	/** Adds a node that serves another one: its model or one of its tools. */
	async addBelow(node: string, type: string, words: string, name: string): Promise<NodePanel> {
		await this.openCreatorAt(node, 'input', type);
		return await this.add(words, name);
	}

	/** Opens the node creator by the plus at a node. */
	async openCreatorAt(node: string, side: 'input' | 'output', type: string): Promise<void> {
		const handle = this.page.locator(
			`[data-test-id="canvas-node-${side}-handle"][data-node-name="${node}"][data-connection-type="${type}"]`,
		);
		await this.fit();
		await handle.getByTestId('canvas-handle-plus').click();
		await this.creator.root.waitFor();
	}

	private async add(words: string, name: string, action?: string): Promise<NodePanel> {
		await this.creator.search(words);
		await this.creator.choose(name, action);
		await this.panel.root.waitFor();
		return this.panel;
	}
}
