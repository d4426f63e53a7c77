import { fileInfo, fileNameFor } from '../../../nodes/shared/gateway/util/fileName';
import { fileType, kindOfType, typeByName } from '../../../nodes/shared/gateway/util/fileType';

const TYPES = `
	png:image/png jpg:image/jpeg webp:image/webp gif:image/gif avif:image/avif svg:image/svg+xml
	aac:audio/aac mp4:video/mp4 webm:video/webm mp3:audio/mpeg wav:audio/wav ogg:audio/ogg flac:audio/flac
	m4a:audio/mp4 mov:video/quicktime zip:application/zip pdf:application/pdf json:application/json
	txt:text/plain csv:text/csv md:text/markdown xml:application/xml yaml:application/yaml
	rtf:application/rtf doc:application/msword
	docx:application/vnd.openxmlformats-officedocument.wordprocessingml.document
	xls:application/vnd.ms-excel xlsx:application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
	pptx:application/vnd.openxmlformats-officedocument.presentationml.presentation
	odt:application/vnd.oasis.opendocument.text heic:image/heic heif:image/heif cr3:image/x-canon-cr3
	bmp:image/bmp tiff:image/tiff dng:image/x-adobe-dng aiff:audio/aiff wma:audio/x-ms-wma amr:audio/amr
	caf:audio/x-caf au:audio/basic avi:video/x-msvideo mpg:video/mpeg flv:video/x-flv wmv:video/x-ms-wmv
	ts:video/mp2t srt:application/x-subrip vtt:text/vtt py:text/x-python eml:message/rfc822 ics:text/calendar
	tsv:text/tab-separated-values js:text/javascript sql:application/sql vcf:text/vcard
`
	.trim()
	.split(/\s+/)
	.map((pair) => pair.split(':') as [extension: string, type: string]);

describe('file types and extensions', () => {
	it.each(TYPES)('.%s is %s', (extension, type) => {
		expect(typeByName(`a.${extension}`)).toBe(type);
		expect(fileNameFor('a.b', type)).toBe(`a.b.${extension}`);
		expect(fileInfo({ 'content-type': type }, ['a']).fileName).toBe(`a.${extension}`);
	});

	it.each([
		['a.JPEG', 'image/jpeg'],
		['a.b.PNG', 'image/png'],
		['.wav', 'audio/wav'],
		['debug.log', 'text/plain'],
		['scan.tif', 'image/tiff'],
		['IMG_1.HIF', 'image/heif'],
		['book.m4b', 'audio/mp4'],
		['png', undefined],
		['a.png.', undefined],
		['a.png ', undefined],
		['a.exe', undefined],
		['', undefined],
	])('%j is %j', (name, type) => expect(typeByName(name)).toBe(type));

	it.each([
		['audio/x-wav', 'a.wav'],
		['audio/mp3', 'a.mp3'],
		['image/jpg', 'a.jpg'],
		['x/unknown', 'a'],
		['', 'a'],
	])('a file of type %j is %s', (type, name) => expect(fileNameFor('a', type)).toBe(name));
});

const PNG = Buffer.from('\x89PNG', 'latin1');

/** The beginning of ISO media with these brands, the major one first. */
const iso = (major: string, ...compatible: string[]) =>
	`\0\0\0${String.fromCharCode(16 + 4 * compatible.length)}ftyp${major}\0\0\0\0${compatible.join('')}\0\0\x10\0moov`;
const ID3 = 'ID3\x04\0';
const TRANSPORT = `G@\0\x10${'\0'.repeat(184)}`.repeat(3);
const DISC = `\0\0\0\0G@\0\x10${'\0'.repeat(184)}`.repeat(3);
const ASF = '0&\xb2u\x8ef\xcf\x11';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const inCp1251 = (text: string) =>
	text.replace(/[а-я]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x350));

describe('the type of a file', () => {
	it.each<
		[label: string | undefined, name: string | undefined, bytes: Buffer | undefined, type: string | undefined]
	>([
		['image/gif', 'a.pdf', PNG, 'image/png'],
		['image/gif', 'a.pdf', Buffer.from('?'), 'image/gif'],
		['Image/JPG; q=1', undefined, undefined, 'image/jpeg'],
		['application/octet-stream', 'a.pdf', PNG, 'image/png'],
		['application/octet-stream', 'a.pdf', Buffer.from('?'), 'application/pdf'],
		['binary/octet-stream', 'a', PNG, 'image/png'],
		[undefined, undefined, PNG, 'image/png'],
		['', 'a', Buffer.from('?'), undefined],
		[undefined, undefined, undefined, undefined],
		['text/plain', undefined, PNG, 'image/png'],
		['text/plain', 'a', Buffer.from('?'), 'text/plain'],
		['text/plain', 'a', undefined, 'text/plain'],
		['text/plain', 'a.csv', PNG, 'image/png'],
		['text/plain', 'a.csv', Buffer.from('ID3,x'), 'text/plain'],
	])('labelled %j and named %j', (label, name, bytes, type) =>
		expect(fileType(label, name, bytes)).toBe(type),
	);

	// Several begin alike.
	it.each([
		['\0\0\0\x1cftypavif', 'image/avif'],
		['\0\0\0\x1cftypavis', 'image/avif'],
		['\0\0\0\x1cftypmif1', 'image/heic'],
		['\0\0\0\x1cftypheic', 'image/heic'],
		['\0\0\0\x1cftypM4A ', 'audio/mp4'],
		['\0\0\0\x1cftypqt  ', 'video/quicktime'],
		['\0\0\0\x1cftypisom', 'video/mp4'],
		['RIFF1234WEBP', 'image/webp'],
		['RIFF1234WAVE', 'audio/wav'],
		['\xff\xfb\x90', 'audio/mpeg'],
		['\xff\xf3\x90', 'audio/mpeg'],
		['\xff\xf2\x90', 'audio/mpeg'],
		['\xff\xf1\x50', 'audio/aac'],
		['\xff\xf9\x50', 'audio/aac'],
		['fLaC\0', 'audio/flac'],
		['OggS\0', 'audio/ogg'],
		['GIF87a', 'image/gif'],
		['GIF89a', 'image/gif'],
		['\0\0\0\x1cftyp3gp4', 'video/3gpp'],
		['\x1aE\xdf\xa3', 'video/webm'],
		['BM\x46\0\0\0\0\0\0\0\x36\0\0\0', 'image/bmp'],
		['II*\0\x08\0\0\0', 'image/tiff'],
		['MM\0*\0\0\0\x08', 'image/tiff'],
		['II*\0\x10\0\0\0CR\x02\0', 'image/x-canon-cr2'],
		[SVG, 'image/svg+xml'],
		[
			`\xef\xbb\xbf\n<?xml version="1.0"?>\n<!-- Made by hand -->\n<!DOCTYPE svg [<!ENTITY a "b">]>\n${SVG}`,
			'image/svg+xml',
		],
		['<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>', 'image/svg+xml'],
		[`<!--${' '.repeat(900)}-->${SVG}`, 'image/svg+xml'],
		['FORM\0\0\x10\0AIFF', 'audio/aiff'],
		['FORM\0\0\x10\0AIFC', 'audio/aiff'],
		['#!AMR\n\x3c', 'audio/amr'],
		['#!AMR-WB\n\x3c', 'audio/amr-wb'],
		['caff\0\x01\0\0', 'audio/x-caf'],
		['.snd\0\0\0\x18', 'audio/basic'],
		['RF64\xff\xff\xff\xffWAVEds64', 'audio/wav'],
		['RIFF1234AVI LIST', 'video/x-msvideo'],
		['\0\0\x01\xba\x44', 'video/mpeg'],
		['\0\0\x01\xb3\x16', 'video/mpeg'],
		['FLV\x01\x05', 'video/x-flv'],
		[ASF, 'video/x-ms-wmv'],
		[`OggS\0\x02${'\0'.repeat(20)}\x01\x2a\x80theora`, 'video/ogg'],
		[TRANSPORT, 'video/mp2t'],
		[DISC, 'video/mp2t'],
		['fLaC\x80', 'audio/flac'],
		['\xff\xfa\x90', 'audio/mpeg'],
		['\xff\xe3\x18', 'audio/mpeg'],
		['\xff\xf0\x50', 'audio/aac'],
		[iso('hevc', 'hevc', 'mif1'), 'image/heic'],
		[iso('msf1', 'msf1', 'hevx'), 'image/heic'],
		[iso('isom', 'iso8', 'heix'), 'image/heic'],
		[iso('mif1', 'mif1', 'avif'), 'image/avif'],
		[iso('crx ', 'crx ', 'isom'), 'image/x-canon-cr3'],
		[iso('M4B ', 'M4A ', 'mp42'), 'audio/mp4'],
		[iso('mp42', 'M4A ', 'isom'), 'audio/mp4'],
		[iso('M4V ', 'M4V ', 'M4A ', 'mp42'), 'video/mp4'],
		[iso('mp42', 'isom', 'qt  '), 'video/quicktime'],
		['\0\0\0\0ftypmsf1', 'image/heic'],
		// Compatible brands end with their box.
		[iso('isom', 'mp41') + 'heic', 'video/mp4'],
	])('that begins with %j', (beginning, type) =>
		expect(fileType(undefined, undefined, Buffer.from(beginning, 'latin1'))).toBe(type),
	);

	// Bytes decide between kinds that they tell apart; of those that begin alike, the label, then the name.
	it.each([
		['image/heic', 'IMG_1.HEIC', iso('hevc', 'hevc', 'mif1', 'heic'), 'image/heic'],
		['image/heif', 'a.heif', iso('hevx', 'msf1'), 'image/heif'],
		['video/mp4', 'a.mp4', iso('heim', 'mif1'), 'image/heic'],
		['image/heic-sequence', 'a.heics', iso('msf1'), 'image/heic'],
		['image/heic', 'a.heic', iso('mif1', 'avis'), 'image/avif'],
		['audio/flac', 'a.flac', ID3, 'audio/flac'],
		['audio/x-flac', 'a', ID3, 'audio/flac'],
		['audio/aacp', 'a', ID3, 'audio/aac'],
		['application/octet-stream', 'a.aac', ID3, 'audio/aac'],
		['audio/wav', 'a.wav', ID3, 'audio/mpeg'],
		['video/mp4', 'book.m4b', iso('M4B ', 'M4A '), 'audio/mp4'],
		['video/mp4', 'a.mp4', iso('mp42', 'M4A '), 'video/mp4'],
		['video/mp4', 'a.mp4', iso('qt  ', 'qt  '), 'video/quicktime'],
		['video/quicktime', 'a.mov', iso('isom'), 'video/quicktime'],
		['audio/3gpp', 'a.3gp', iso('3gp4', 'isom'), 'audio/3gpp'],
		['audio/x-m4r', 'a.m4r', iso('isom'), 'audio/x-m4r'],
		['application/mp4', 'a', iso('isom'), 'video/mp4'],
		['audio/ogg', 'a.ogg', iso('isom'), 'video/mp4'],
		['image/x-canon-cr3', 'a.cr3', iso('crx ', 'isom'), 'image/x-canon-cr3'],
		['image/x-nikon-nef', 'a.nef', 'MM\0*\0\0\0\x08', 'image/x-nikon-nef'],
		['application/octet-stream', 'a.dng', 'II*\0\x08', 'image/x-adobe-dng'],
		['audio/x-ms-wma', 'a', ASF, 'audio/x-ms-wma'],
		['application/octet-stream', 'a.wma', ASF, 'audio/x-ms-wma'],
		['audio/x-matroska', 'a.mka', '\x1aE\xdf\xa3', 'audio/x-matroska'],
		['application/xml', 'a.xml', SVG, 'image/svg+xml'],
		['text/html', 'a', SVG, 'text/html'],
		['application/octet-stream', 'a.html', SVG, 'text/html'],
	])('labelled %s and named %s, that begins with %j, is %s', (label, name, beginning, type) =>
		expect(fileType(label, name, Buffer.from(beginning, 'latin1'))).toBe(type),
	);

	it.each([
		'BMW is a brand',
		'FLV is a format',
		'II* is not enough',
		`G${'.'.repeat(187)}`.repeat(3),
		`# How to draw\n${SVG}`,
		`<p>An icon: ${SVG}</p>`,
		`<!-- ${' '.repeat(1_024)} -->${SVG}`,
		'GIF89a is a format of pictures',
		...['ягода', 'ящик', 'ясно', 'ятаган'].map(inCp1251),
	])('a text that begins with %j is a text', (beginning) =>
		expect(fileType('text/plain', 'a', Buffer.from(beginning, 'latin1'))).toBe('text/plain'),
	);

	it.each([
		['text/plain', 'photo.jxl', '\0\0\0\x0cJXL \r\n\x87\n', undefined],
		['text/plain', 'voice.mp3', '\0\0\0\0\0\0\0\0', 'audio/mpeg'],
		['text/plain', 'a', '\xff\xfeh\0i\0', 'text/plain'],
		['image/jxl', 'photo', '\0\0\0\x0cJXL \r\n\x87\n', 'image/jxl'],
		['video/mp2t', 'rec.ts', 'G\x02\x34\x17UUUU', 'video/mp2t'],
		['application/ogg', 'Film.ogg', `OggS\0${'.'.repeat(23)}\x80theora`, 'video/ogg'],
		['text/markdown', 'README.md', '<!-- badges -->\n<svg width="1"></svg>\n# Title', 'text/markdown'],
		['text/html', 'a.html', '<!-- uses <svg> icons -->\n<html>', 'text/html'],
		['text/plain', 'a', '<!-- uses <svg> icons -->\n<p>', 'text/plain'],
	])('bytes that no text has make %s of %s no text: %j is %s', (label, name, beginning, type) =>
		expect(fileType(label, name, Buffer.from(beginning, 'latin1'))).toBe(type),
	);

	it('a file of TypeScript, whose extension is that of a film, is a text', () => {
		const source = Buffer.from('export const a = 1;');
		expect(fileType('video/mp2t', 'a.ts', source)).toBe('text/plain');
		expect(fileType(undefined, 'a.ts', source)).toBe('text/plain');
		expect(fileType('video/mp2t', 'a.ts')).toBe('video/mp2t');
	});

	it.each([
		['Text/HTML', 'text'],
		['application/x-subrip', 'text'],
		['message/rfc822', 'text'],
		['application/x-sql', 'text'],
		['application/vnd.api+json', 'text'],
		['application/jsonl', undefined],
		['application/PDF', 'pdf'],
		['image/svg+xml', 'image'],
		['audio/x-unknown', 'audio'],
		['video/*', 'video'],
		['application/zip', undefined],
		['', undefined],
	])('%j is of the kind %j', (type, kind) => expect(kindOfType(type)).toBe(kind));
});
