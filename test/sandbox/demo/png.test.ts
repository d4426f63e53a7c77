import { crc32, deflateSync } from 'node:zlib';
import { checkPng } from '../../../sandbox/demo/png';

function chunk(type: string, data: Buffer): Buffer {
	const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const numbers = Buffer.alloc(8);
	numbers.writeUInt32BE(data.length, 0);
	numbers.writeUInt32BE(crc32(named), 4);
	return Buffer.concat([numbers.subarray(0, 4), named, numbers.subarray(4)]);
}

/** A grey picture, 3 × 2, with this many bytes of pixels (2 lines of 1 + 3). */
function picture(pixelBytes = 8): Buffer {
	const header = Buffer.from([0, 0, 0, 3, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
	const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
	const pixels = deflateSync(Buffer.alloc(pixelBytes));
	return Buffer.concat([
		signature,
		chunk('IHDR', header),
		chunk('IDAT', pixels),
		chunk('IEND', Buffer.alloc(0)),
	]);
}

describe('checkPng', () => {
	test('reads the size of a whole picture', () => {
		expect(checkPng(picture())).toStrictEqual({ width: 3, height: 2 });
	});

	test('rejects a file that is not a PNG', () => {
		expect(() => checkPng(Buffer.from('<html></html>'))).toThrow('begin like a PNG');
	});

	test('rejects a picture that is cut off', () => {
		expect(() => checkPng(picture().subarray(0, -5))).toThrow('cut off');
	});

	test('rejects a picture with a damaged byte', () => {
		const bytes = picture();
		bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50);
		expect(() => checkPng(bytes)).toThrow('checksum');
	});

	test('rejects a picture without all its pixels', () => {
		expect(() => checkPng(picture(7))).toThrow('pixels');
	});
});
