import fc from 'fast-check';

import { readBase64 } from '../../../nodes/shared/gateway/util/base64';

describe('base64', () => {
	it.each([
		['Y2F0', 'Y2F0', 3, undefined],
		['Y2E=', 'Y2E=', 2, undefined],
		['Yw==', 'Yw==', 1, undefined],
		['Y2E', 'Y2E', 2, undefined],
		['Yw', 'Yw', 1, undefined],
		['', '', 0, undefined],
		[' Y2\r\nF0\t', 'Y2F0', 3, undefined],
		['-_-_', '+/+/', 3, undefined],
		['+/+/', '+/+/', 3, undefined],
		['data:image/png;base64,Y2F0', 'Y2F0', 3, 'image/png'],
		[' \n DATA:image/png;BASE64,Y2F0', 'Y2F0', 3, 'image/png'],
		['data:text/plain;charset=utf-8;base64,Y2F0', 'Y2F0', 3, 'text/plain'],
		['data:;base64,Y2\nF0', 'Y2F0', 3, undefined],
		['data:image/png;base64,', '', 0, 'image/png'],
		['data:image/png;base64,%2B/%2b%2F', '+/+/', 3, 'image/png'],
		['data:image/png; base64,Y2F0', 'Y2F0', 3, 'image/png'],
		['data:text/csv,c%61t', 'Y2F0', 3, 'text/csv'],
		['data:,%D0%BA,к', '0Los0Lo=', 5, 'text/plain'],
		['data:;charset=utf-8,%FF%', '/yU=', 2, 'text/plain'],
	])('is read from %j', (text, base64, size, mimeType) => {
		expect(readBase64(text)).toStrictEqual({ base64, size, mimeType });
	});

	it.each([
		'Y',
		'Y2F0Y',
		'Y2F0!',
		'!Y2F0',
		'Y2=F0',
		'Yw===',
		'кот',
		'x data:image/png;base64,Y2F0',
		'data:image/png;base64,Y2F0,Y2F0',
	])('is not read from %j', (text) => expect(readBase64(text)).toBeUndefined());

	it('has as many bytes as it says', () => {
		fc.assert(
			fc.property(fc.uint8Array(), fc.constantFrom('base64', 'base64url'), (bytes, alphabet) => {
				const text = Buffer.from(bytes).toString(alphabet);
				const file = readBase64(text);
				expect(file?.size).toBe(bytes.length);
				expect(Buffer.from(file?.base64 ?? '', 'base64')).toStrictEqual(Buffer.from(bytes));
			}),
		);
	});

	it.each(['data:', 'data:;', 'data:;base64', ' data:image/png;base64;'])(
		'takes linear time for %j and 200,000 characters without a comma',
		(head) => {
			expect(readBase64(head + 'x'.repeat(200_000))).toBeUndefined();
			expect(readBase64(head.repeat(40_000))).toBeUndefined();
		},
	);
});
