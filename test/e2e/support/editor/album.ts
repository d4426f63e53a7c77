import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { repositoryRoot } from '../../../../sandbox/n8n/runtime';

/** The pictures of the documentation. */
const imagesFolder = join(repositoryRoot, 'docs', 'images');

/** The pictures that a story takes. */
export class Album {
	constructor(
		private readonly story: string,
		private readonly page: Page,
	) {}

	/**
	 * Renews a picture of the documentation, if `UPDATE_IMAGES` is set.
	 * @param name that of the node
	 * @param parts what is to be seen: the smallest rectangle around all of them
	 * @param height its upper part; pixels
	 * @param margin what is to be seen around them; pixels
	 */
	async image(name: string, parts: Locator[], height: number, margin = 0): Promise<void> {
		if (!process.env['UPDATE_IMAGES']) return;
		const frame = widened(await around(parts), margin);
		const clip = { ...frame, height: Math.min(frame.height, height) };
		// n8n's button covers the lowest nodes.
		const style = ':has(> * > [data-test-id="execute-workflow-button"]) { visibility: hidden; }';
		const path = join(imagesFolder, `${name}.png`);
		await this.page.screenshot({ path, clip, style, animations: 'disabled' });
	}

	/** Keeps what was to be seen when a test failed, and the page's HTML, in `test-results/screenshots`. */
	async keepFailure(title: string): Promise<void> {
		const folder = join(repositoryRoot, 'test-results', 'screenshots', this.story);
		await mkdir(folder, { recursive: true });
		const path = join(folder, title.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
		await this.page.screenshot({ path: `${path}.png`, timeout: 10_000 });
		await writeFile(`${path}.html`, await this.page.content());
	}
}

interface Frame {
	x: number;
	y: number;
	width: number;
	height: number;
}

function widened({ x, y, width, height }: Frame, margin: number): Frame {
	return { x: x - margin, y: y - margin, width: width + 2 * margin, height: height + 2 * margin };
}

async function around(parts: Locator[]): Promise<Frame> {
	const boxes = await Promise.all(
		parts.map(async (part) => {
			const box = await part.boundingBox();
			if (box === null) throw new Error(`Not to be seen: ${String(part)}`);
			return box;
		}),
	);
	const x = Math.min(...boxes.map((box) => box.x));
	const y = Math.min(...boxes.map((box) => box.y));
	return {
		x,
		y,
		width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
		height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
	};
}
