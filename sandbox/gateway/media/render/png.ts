/** A picture of the prompt as PNG: its words on colours that follow from them. */
import { join } from 'node:path';
import type { SKRSContext2D } from '@napi-rs/canvas';
import { hash } from '../../text/reply';

export interface PictureOptions {
	width: number;
	height: number;
	/** Distinguishes the images of one task. */
	variation: number;
	/** Bytes of an image to edit. */
	backdrop: Buffer | null;
}

const family = 'Sandbox Sans';

export async function renderPng(prompt: string, options: PictureOptions): Promise<Buffer> {
	const { width, height, variation, backdrop } = options;
	// Loaded with the first picture, as it is large.
	const { createCanvas, GlobalFonts, loadImage } = await import('@napi-rs/canvas');
	// DejaVu Sans has the Cyrillic letters too.
	if (!GlobalFonts.has(family)) {
		GlobalFonts.registerFromPath(join(__dirname, 'DejaVuSans.ttf'), family);
	}
	const canvas = createCanvas(width, height);
	const context = canvas.getContext('2d');
	const seed = hash(`${prompt}#${variation}`);
	const sky = context.createLinearGradient(0, 0, width, height);
	sky.addColorStop(0, `hsl(${seed % 360}, 65%, 62%)`);
	sky.addColorStop(1, `hsl(${(seed + 70) % 360}, 60%, 28%)`);
	context.fillStyle = sky;
	context.fillRect(0, 0, width, height);
	if (backdrop) context.drawImage(await loadImage(backdrop), 0, 0, width, height);
	drawText(context, prompt, width, height);
	return await canvas.encode('png');
}

/** As large as fits, in the middle of a dark panel. */
function drawText(context: SKRSContext2D, text: string, width: number, height: number): void {
	let size = Math.round(Math.min(width, height) / 14) + 1;
	let lines: string[] = [];
	do {
		size -= 1;
		context.font = `${size}px "${family}"`;
		lines = wrap(context, text, width * 0.84);
	} while (size > 9 && lines.length * size * 1.3 > height * 0.8);
	const lineHeight = size * 1.3;
	const panel = lines.length * lineHeight + size;
	const top = (height - panel) / 2;
	context.fillStyle = 'rgba(0, 0, 0, 0.45)';
	context.fillRect(width * 0.04, top, width * 0.92, panel);
	context.fillStyle = 'white';
	context.textAlign = 'center';
	context.textBaseline = 'middle';
	lines.forEach((line, index) => {
		context.fillText(line, width / 2, top + size / 2 + (index + 0.5) * lineHeight);
	});
}

function wrap(context: SKRSContext2D, text: string, width: number): string[] {
	const lines: string[] = [];
	for (const word of text.split(/\s+/)) {
		const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
		if (lines.length > 0 && context.measureText(longer).width <= width) lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	return lines;
}
