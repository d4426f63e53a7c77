import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** 8 bits a channel, RGB. */
const FORMAT = [8, 2, 0, 0, 0];

/** A PNG of one colour, a number of 24 bits. It needs no library. */
export function placeholderPng(colour: number, width = 32, height = 32): Buffer {
	const size = Buffer.alloc(8);
	size.writeUInt32BE(width, 0);
	size.writeUInt32BE(height, 4);
	const pixel = Buffer.alloc(3);
	pixel.writeUIntBE(colour, 0, 3);
	const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * 3, pixel)]);
	return Buffer.concat([
		SIGNATURE,
		chunk('IHDR', Buffer.concat([size, Buffer.from(FORMAT)])),
		chunk('IDAT', deflateSync(Buffer.alloc(row.length * height, row))),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

function chunk(type: string, data: Buffer): Buffer {
	const content = Buffer.concat([Buffer.from(type), data]);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(data.length);
	const checksum = Buffer.alloc(4);
	checksum.writeUInt32BE(crc32(content));
	return Buffer.concat([length, content, checksum]);
}
