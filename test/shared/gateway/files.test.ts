import fc from 'fast-check';

import { fileFacts, nameInUrl } from '../../../nodes/shared/gateway/files';

const named = (disposition: string, type = 'image/png') =>
	fileFacts({ 'content-type': type, 'content-disposition': disposition }, ['fallback']).fileName;

describe('the name of a downloaded file', () => {
	test.each([
		['attachment; filename="cat.png"', 'cat.png'],
		['attachment; filename=cat.png', 'cat.png'],
		['attachment; filename="a \\"b\\".png"', 'a _b_.png'],
		['attachment; filename="plain.png"; filename*=UTF-8\'\'%D0%BA%D0%BE%D1%82.png', 'кот.png'],
		[`attachment; filename="${Buffer.from('кот.png').toString('latin1')}"`, 'кот.png'],
		['attachment; filename="caf\u00e9.png"', 'caf\u00e9.png'],
		['attachment', 'fallback.png'],
		['attachment; filename="../../etc/passwd"', 'passwd.png'],
		['attachment; filename="..\\\\..\\\\boot.ini"', 'boot.ini'],
		['attachment; filename=".htaccess"', 'htaccess.png'],
		['attachment; filename="a\u0000b\u202Egnp.exe"', 'abgnp.exe'],
		['attachment; filename="///"', 'fallback.png'],
		["attachment; filename*=UTF-8''%E0%A4%A.png", '%E0%A4%A.png'],
	])('%s is %s', (header, name) => expect(named(header)).toBe(name));

	it('comes from the first candidate where the header has none', () => {
		expect(
			fileFacts({}, [undefined, nameInUrl('https://f.test/x/%D0%BA.png?sig=a/b.exe#c'), 'z']).fileName,
		).toBe('к.png');
		expect(fileFacts({}, [nameInUrl('https://f.test'), nameInUrl('https://f.test/'), 'z']).fileName).toBe(
			'z',
		);
		expect(fileFacts({}, []).fileName).toBe('file');
	});

	it('is cut to a length that file systems take, with its extension', () => {
		const name = named(`attachment; filename="${'x'.repeat(500)}.webp"`);
		expect(name).toHaveLength(150);
		expect(name.endsWith('.webp')).toBe(true);
	});

	it('leaves the type open where the server does not know it', () => {
		expect(fileFacts({ 'content-type': 'application/octet-stream' }, ['a']).mimeType).toBeUndefined();
		expect(fileFacts({ 'content-type': 'binary/octet-stream' }, ['a']).mimeType).toBeUndefined();
		expect(fileFacts({ 'content-type': 'Audio/MPEG; q=1' }, ['a'])).toStrictEqual({
			fileName: 'a.mp3',
			mimeType: 'audio/mpeg',
		});
	});

	it('is harmless whatever the header says', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (header, url) => {
				const { fileName } = fileFacts({ 'content-disposition': `attachment; filename="${header}"` }, [
					nameInUrl(url),
				]);
				expect(fileName).not.toMatch(/[\\/\p{C}<>:"|?*]/u);
				expect(fileName).not.toMatch(/^\./);
				expect(fileName.length).toBeGreaterThan(0);
				expect(fileName.length).toBeLessThanOrEqual(156);
			}),
			{ numRuns: 500 },
		);
	});
});
