/** A little tune that follows from the words, as WAV (16 kHz, mono, 16 bit). */
import { hash } from '../../text/reply';

const sampleRate = 16_000;
const headerBytes = 44;
/** A pentatonic scale, in Hz: it sounds pleasant with any words. */
const scale = [261.63, 293.66, 329.63, 392, 440, 523.25, 587.33, 659.25];

/** One note a word, over and over, until the time is full. */
export function renderMelody(words: string, seconds: number, variation = 0): Buffer {
	const samples = Math.max(1, Math.round(seconds * sampleRate));
	const notes = words.split(/\s+/).map((word) => scale[(hash(word) + variation * 3) % scale.length] ?? 440);
	const noteSamples = sampleRate / 4;
	const wav = Buffer.alloc(headerBytes + samples * 2);
	writeHeader(wav, samples);
	for (let index = 0; index < samples; index += 1) {
		const pitch = notes[Math.floor(index / noteSamples) % notes.length] ?? 440;
		const fade = Math.exp((-4 * (index % noteSamples)) / noteSamples);
		const value = Math.sin((2 * Math.PI * pitch * index) / sampleRate) * fade * 12_000;
		wav.writeInt16LE(Math.round(value), headerBytes + index * 2);
	}
	return wav;
}

function writeHeader(wav: Buffer, samples: number): void {
	wav.write('RIFF', 0);
	wav.writeUInt32LE(36 + samples * 2, 4);
	wav.write('WAVEfmt ', 8);
	wav.writeUInt32LE(16, 16);
	wav.writeUInt16LE(1, 20);
	wav.writeUInt16LE(1, 22);
	wav.writeUInt32LE(sampleRate, 24);
	wav.writeUInt32LE(sampleRate * 2, 28);
	wav.writeUInt16LE(2, 32);
	wav.writeUInt16LE(16, 34);
	wav.write('data', 36);
	wav.writeUInt32LE(samples * 2, 40);
}
