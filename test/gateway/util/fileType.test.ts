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
	odt:application/vnd.oasis.opendocument.text heic:image/heic
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
	])('that begins with %j', (beginning, type) =>
		expect(fileType(undefined, undefined, Buffer.from(beginning, 'latin1'))).toBe(type),
	);

	it.each([
		['Text/HTML', 'text'],
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
