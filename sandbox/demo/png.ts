import { crc32, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const samplesPerPixel: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The size of a picture in pixels. */
export interface PngSize {
	width: number;
	height: number;
}

/**
 * Reads a PNG picture whole: signature, order and checksum of its chunks, and whether the pixels are all there.
 * @throws with the problem when the picture is invalid
 */
export function checkPng(bytes: Buffer): PngSize {
	if (!bytes.subarray(0, 8).equals(signature)) throw new Error('does not begin like a PNG');
	const pixels: Buffer[] = [];
	let header: Buffer | undefined;
	for (let at = 8; ; ) {
		if (at + 12 > bytes.length) throw new Error('is cut off');
		const length = bytes.readUInt32BE(at);
		const type = bytes.toString('latin1', at + 4, at + 8);
		const data = bytes.subarray(at + 8, at + 8 + length);
		if (at + 12 + length > bytes.length) throw new Error(`is cut off in ${type}`);
		if (bytes.readUInt32BE(at + 8 + length) !== crc32(bytes.subarray(at + 4, at + 8 + length))) {
			throw new Error(`has a wrong checksum in ${type}`);
		}
		if (type === 'IHDR') header = data;
		if (type === 'IDAT') pixels.push(data);
		if (type === 'IEND') break;
		at += 12 + length;
	}
	if (header === undefined) throw new Error('has no header');
	return checkPixels(header, Buffer.concat(pixels));
}

function checkPixels(header: Buffer, compressed: Buffer): PngSize {
	const size = { width: header.readUInt32BE(0), height: header.readUInt32BE(4) };
	const bitsPerPixel = header.readUInt8(8) * (samplesPerPixel[header.readUInt8(9)] ?? 0);
	const interlaced = header.readUInt8(12) === 1;
	// Each line begins with one byte for its filter.
	const expected = size.height * (1 + Math.ceil((size.width * bitsPerPixel) / 8));
	const actual = inflateSync(compressed).length;
	if (!interlaced && actual !== expected)
		throw new Error(`holds ${actual} bytes of pixels instead of ${expected}`);
	return size;
}
