/** Draws a prompt: a sky of colours that follow from the words, and the words themselves. */
import { GlobalFonts, type Image, type SKRSContext2D } from '@napi-rs/canvas';
import { hash } from '../../text/reply';

const family = 'Sandbox Sans';

/** DejaVu Sans has the Cyrillic letters too. */
function useFont(context: SKRSContext2D, size: number): void {
	if (!GlobalFonts.has(family)) {
		GlobalFonts.registerFromPath(require.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'), family);
	}
	context.font = `${size}px "${family}"`;
}

export interface Scene {
	width: number;
	height: number;
	prompt: string;
	/** Distinguishes the images of one task. */
	variation: number;
	/** 0 to 1, for moving pictures. */
	time: number;
	/** The background when an image is edited. */
	backdrop: Image | null;
}

export function drawScene(context: SKRSContext2D, scene: Scene): void {
	const seed = hash(`${scene.prompt}#${scene.variation}`);
	drawSky(context, scene, seed);
	if (scene.backdrop) context.drawImage(scene.backdrop, 0, 0, scene.width, scene.height);
	drawCircles(context, scene, seed);
	drawText(context, scene);
}

function drawSky(context: SKRSContext2D, { width, height }: Scene, seed: number): void {
	const sky = context.createLinearGradient(0, 0, width, height);
	sky.addColorStop(0, `hsl(${seed % 360}, 65%, 62%)`);
	sky.addColorStop(1, `hsl(${(seed + 70) % 360}, 60%, 28%)`);
	context.fillStyle = sky;
	context.fillRect(0, 0, width, height);
}

function drawCircles(context: SKRSContext2D, { width, height, time }: Scene, seed: number): void {
	for (let index = 0; index < 7; index += 1) {
		const own = (seed >>> index) + index * 977;
		const x = (((own % 997) / 997 + time * 0.4 * (index % 2 === 0 ? 1 : -1) + 1) % 1) * width;
		const y = ((own % 613) / 613) * height;
		const radius = (0.05 + (own % 13) / 100) * Math.min(width, height);
		context.fillStyle = `hsla(${own % 360}, 80%, 72%, 0.35)`;
		context.beginPath();
		context.arc(x, y, radius, 0, Math.PI * 2);
		context.fill();
	}
}

function drawText(context: SKRSContext2D, { width, height, prompt }: Scene): void {
	const room = width * 0.84;
	let size = Math.round(Math.min(width, height) / 14);
	let lines: string[] = [];
	for (; size >= 9; size -= 1) {
		useFont(context, size);
		lines = wrap(context, prompt, room);
		if (lines.length * size * 1.3 <= height * 0.8) break;
	}
	const lineHeight = size * 1.3;
	const shown = lines.slice(0, Math.max(1, Math.floor((height * 0.86) / lineHeight)));
	const panel = shown.length * lineHeight + size;
	const top = (height - panel) / 2;
	context.fillStyle = 'rgba(0, 0, 0, 0.45)';
	context.fillRect(width * 0.04, top, width * 0.92, panel);
	context.fillStyle = 'white';
	context.textAlign = 'center';
	context.textBaseline = 'middle';
	shown.forEach((line, index) => {
		context.fillText(line, width / 2, top + size / 2 + (index + 0.5) * lineHeight);
	});
}

/** Lines that fit the width; words longer than a line are broken. */
function wrap(context: SKRSContext2D, text: string, width: number): string[] {
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(/\s+/).flatMap((whole) => breakWord(context, whole, width))) {
		const longer = line === '' ? word : `${line} ${word}`;
		if (context.measureText(longer).width <= width || line === '') line = longer;
		else {
			lines.push(line);
			line = word;
		}
	}
	return line === '' ? lines : [...lines, line];
}

function breakWord(context: SKRSContext2D, word: string, width: number): string[] {
	const full = context.measureText(word).width;
	if (full <= width) return [word];
	const step = Math.max(1, Math.floor((word.length * width) / full));
	return word.match(new RegExp(`.{1,${step}}`, 'gsu')) ?? [word];
}
