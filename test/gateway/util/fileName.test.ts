import fc from 'fast-check';

import { fileInfo, givenName, nameInUrl } from '../../../nodes/shared/gateway/util/fileName';
import { anyText } from '../../helpers/anyText';

const named = (disposition: string, type = 'image/png') =>
	fileInfo({ 'content-type': type, 'content-disposition': disposition }, ['fallback']).fileName;

describe('the name of a downloaded file', () => {
	test.each([
		['attachment; filename="cat.png"', 'cat.png'],
		['attachment; filename="a \\"b\\".png"', 'a _b_.png'],
		['attachment; filename="plain.png"; filename*=UTF-8\'\'%D0%BA%D0%BE%D1%82.png', 'кот.png'],
		[`attachment; filename="${Buffer.from('кот.png').toString('latin1')}"`, 'кот.png'],
		['attachment; filename="caf\u00e9.png"', 'caf\u00e9.png'],
		['attachment; filename="../../etc/passwd"', 'passwd.png'],
		['attachment; filename="..\\\\..\\\\boot.ini"', 'boot.ini'],
		['attachment; filename=".htaccess"', 'htaccess.png'],
		['attachment; filename="a\u0000b\u202Egnp.exe"', 'abgnp.exe'],
		["attachment; filename*=UTF-8''%E0%A4%A.png", '%E0%A4%A.png'],
		["attachment; filename*=ISO-8859-1''%A3%20rates.png", '£ rates.png'],
		["attachment; filename*=iso-8859-1'en'na%EFve.png; filename=x.png", 'naïve.png'],
		["attachment; filename*=windows-1251''%EA%EE%F2.png", 'кот.png'],
		['attachment; filename*="UTF-8\'\'%E2%82%AC.png"', '€.png'],
		["attachment; filename*=UTF-8''%A3.png; filename=pounds.png", 'pounds.png'],
		["attachment; filename=pounds.png; filename*=UTF-8''100%.png", '100%.png'],
		['attachment; filename*=x-none\'\'%A3.png; filename="pounds.png"', 'pounds.png'],
		["attachment; filename*=x-none''%A3.png", '%A3.png'],
		["attachment; FILENAME* = utf-8'ru'%D0%BA.png ; filename=x.png", 'к.png'],
		["attachment; filename*=''x; filename=cat.png", 'cat.png'],
		['attachment; filename = cat.png ; size=5', 'cat.png'],
		['ATTACHMENT; FileName="cat.png"', 'cat.png'],
		['attachment; filename="a\\\\b.png"', 'b.png'],
		['attachment; filename="a;b.png"', 'a;b.png'],
		['attachment; filename=""', 'fallback.png'],
		['attachment; filename=" . cat.png  "', 'cat.png'],
		['attachment; filename="a<b>c:d|e?f*g.png"', 'a_b_c_d_e_f_g.png'],
		['attachment; filename="dir/"', 'fallback.png'],
		['attachment; filename="cat"', 'cat.png'],
		['attachment; filename="cat.a-b"', 'cat.a-b.png'],
		['attachment; filename="cat.sixsix"', 'cat.sixsix.png'],
		['attachment; filename="cat.JPG"', 'cat.JPG'],
		['attachment; filename="flux-1.1"', 'flux-1.1.png'],
		['attachment; filename="cat.mp4"', 'cat.mp4'],
		['attachment; filename="cat.7z"', 'cat.7z'],
		['', 'fallback.png'],
	])('%s is %s', (header, name) => expect(named(header)).toBe(name));

	it('of 150 characters is unchanged, and a longer one without an extension is cut', () => {
		expect(fileInfo({}, ['x'.repeat(150)]).fileName).toBe('x'.repeat(150));
		expect(fileInfo({}, ['x'.repeat(151)]).fileName).toBe('x'.repeat(150));
		expect(fileInfo({}, [`${'x'.repeat(147)}.webp`]).fileName).toBe(`${'x'.repeat(145)}.webp`);
	});

	it.each<[Record<string, string>, string, string | undefined]>([
		[{ 'content-type': ' image/PNG ' }, 'a.png', 'image/png'],
		[{ 'content-type': 'Audio/MPEG; q=1' }, 'a.mp3', 'audio/mpeg'],
		[{ 'content-type': 'application/octet-stream' }, 'a', undefined],
		[{ 'content-type': 'binary/octet-stream' }, 'a', undefined],
		[{ 'content-type': 'image/jpeg;q=1' }, 'a.jpg', 'image/jpeg'],
		[{ 'content-type': 'x/unknown' }, 'a', 'x/unknown'],
		[{ 'content-type': '' }, 'a', undefined],
		[{ 'content-type': ';charset=utf-8' }, 'a', undefined],
		[{}, 'a', undefined],
	])('has the extension of the type %j', (headers, fileName, mimeType) => {
		expect(fileInfo(headers, ['a'])).toStrictEqual({ fileName, mimeType });
	});

	it.each([
		['https://f.test/a/cat.png', 'cat.png'],
		['https://f.test/a/cat.png?x=/y.png', 'cat.png'],
		['https://f.test/cat.png#/y', 'cat.png'],
		['HTTPS://f.test/a%2Fb%20c', 'a/b c'],
		['https://f.test/%E0%A4%A', '%E0%A4%A'],
		['https://f.test/a/', undefined],
		['https://f.test', undefined],
		['https://f.test?x=/a.png', undefined],
		['https://f.test#/a.png', undefined],
		['/a/cat.png', undefined],
		['x https://f.test/cat.png', undefined],
		['', undefined],
	])('of the URL %j is %j', (url, name) => expect(nameInUrl(url)).toBe(name));

	it('is safe whatever the header says', () => {
		fc.assert(
			fc.property(anyText(), anyText(), (header, url) => {
				const { fileName } = fileInfo({ 'content-disposition': `attachment; filename="${header}"` }, [
					nameInUrl(url),
				]);
				expect(fileName).not.toMatch(/[\\/\p{C}<>:"|?*]/u);
				expect(fileName).not.toMatch(/^\./);
				expect(fileName.length).toBeGreaterThan(0);
				expect(fileName.length).toBeLessThanOrEqual(156);
			}),
			{ numRuns: 200 },
		);
	});
});

describe('the name that a user gives', () => {
	const long = 'ж'.repeat(150);

	test.each<[name: string, mimeType: string, suffix: string, right: string | undefined]>([
		['Lamp 42', 'image/png', '', 'Lamp 42.png'],
		['Lamp 42', 'image/png', '_2', 'Lamp 42_2.png'],
		['lamp.png', 'image/png', '', 'lamp.png'],
		['lamp.png', 'image/png', '_1', 'lamp_1.png'],
		['lamp.JPEG', 'image/jpeg', '', 'lamp.JPEG'],
		['lamp.png', 'image/jpeg', '', 'lamp.png.jpg'],
		['v1.5', 'video/mp4', '_1', 'v1.5_1.mp4'],
		['../../etc/passwd', 'text/plain', '', '-..-etc-passwd.txt'],
		['a<b>:"c"|d?*\\e\u0000f', 'image/png', '', 'a-b---c--d---e-f.png'],
		[' . lamp . ', 'image/png', '', 'lamp.png'],
		['lamp', 'application/x-unknown', '', 'lamp'],
		['кот 😀', 'image/png', '', 'кот 😀.png'],
		[long, 'image/png', '_1', `${'ж'.repeat(97)}_1.png`],
		[`a${long}`, 'image/png', '_1', `a${'ж'.repeat(96)}_1.png`],
		['...', 'image/png', '', undefined],
		['.png', 'image/png', '', undefined],
	])('%j of the type %s with %j is %j', (name, mimeType, suffix, right) => {
		expect(givenName(name, mimeType, suffix)).toBe(right);
	});

	it('has at most 200 bytes and no path, and keeps whole characters', () => {
		const parts = fc.tuple(anyText({ maxLength: 400 }), fc.constantFrom('', '_1', '_12'));
		fc.assert(
			fc.property(parts, ([name, suffix]) => {
				const given = givenName(name, 'image/png', suffix) ?? 'a.png';
				expect(Buffer.byteLength(given)).toBeLessThanOrEqual(200);
				expect(given).not.toMatch(/[/\\]|^\.|\.$/);
				expect(() => encodeURIComponent(given)).not.toThrow();
			}),
		);
	});
});
