import type { IBinaryData } from 'n8n-workflow';

import { simplify } from '../shared/fields/results';
import { checkSize, uploadFile, type UploadFile } from '../shared/gateway/endpoints/upload';
import { readStoredFile } from '../shared/gateway/endpoints/storage';
import { ApiError, asError, InvalidInputError } from '../shared/gateway/errors/errors';
import { readBase64, type Base64File } from '../shared/gateway/util/base64';
import { nameInUrl } from '../shared/gateway/util/fileName';
import { asNumber, compact } from '../shared/gateway/util/json';
import { isWebAddress } from '../shared/gateway/util/text';
import { binaryOf, checkKnownSize, fileOf, fileOfBase64, storeResponse } from '../shared/n8n/binary';
import { choice, inputFile, shownFor, text } from '../shared/params/kinds';
import type { Values } from '../shared/params/parameter';
import { defineOperation, type ItemContext, type ItemInput } from '../shared/run/operation';

const binaryPropertyName = inputFile({
	displayName: 'Input Binary Field',
	default: 'data',
	required: true,
	placeholder: 'e.g. data',
	hint: 'The name of the input binary field containing the file to be uploaded',
});

const base64 = text({
	displayName: 'Base64',
	rows: 4,
	required: true,
	placeholder: 'e.g. {{ $json.image }}',
	description: 'The file as base64 text, or as a data URL such as data:image/png;base64,…',
	whenEmpty: 'Enter the file as base64 text.',
});

const mimeType = text({
	displayName: 'MIME Type',
	placeholder: 'e.g. image/png',
	description: 'The MIME type of the file. Not needed for a data URL, which contains it.',
});

// Not required: n8n would ask for it in stored workflows whose 'Upload Source' is an expression.
const url = text({
	displayName: 'URL',
	placeholder: 'e.g. https://example.com/photo.jpg',
	description: 'The URL of a file of up to 100 MB. It is downloaded without the API key.',
	whenEmpty: 'Enter the URL of the file, e.g. {{ $json.url }}.',
});

const parameters = {
	uploadSource: choice({
		displayName: 'Upload Source',
		options: [
			{ name: 'Base64 Text', value: 'base64', description: 'A file as base64 text or as a data URL' },
			{ name: 'Binary Field', value: 'binary', description: 'A file that an earlier node returned' },
			{ name: 'URL', value: 'url', description: 'A file on the web that needs no sign-in' },
		],
		default: 'binary',
		description: 'Where the file comes from',
	}),
	...shownFor({ uploadSource: ['binary'] }, { binaryPropertyName }),
	...shownFor({ uploadSource: ['base64'] }, { base64, mimeType }),
	...shownFor({ uploadSource: ['url'] }, { url }),
	storagePolicy: choice({
		displayName: 'Storage Policy',
		options: [
			{ name: 'Permanent', value: 'PERMANENT', description: 'Kept until you delete it' },
			{ name: 'Temporary', value: 'TEMP_UPLOAD', description: 'Kept for 24 hours' },
		],
		default: 'TEMP_UPLOAD',
		description: 'How long the gateway keeps the file',
	}),
	simplify,
};

export const upload = defineOperation({
	displayName: 'Upload',
	action: 'Upload file',
	description: 'Store a new image, video or audio file at the gateway and get its URL',
	toolDescription:
		'Stores an image, video or audio file, given as base64 text or by its URL, at the gateway. Returns its ID and URL.',
	parameters,
	options: {
		externalUserId: text({
			displayName: 'External User ID',
			placeholder: 'e.g. customer-42',
			description: 'Your own ID of the user to whom the file belongs, up to 128 characters',
			allowed: /^.{1,128}$/su,
			whenEmpty: 'It has up to 128 characters. Use an ID, not a text.',
		}).optional(),
	},
	plan: (item) => ({
		source: sourceOf(item),
		settings: {
			storagePolicy: item.params.storagePolicy,
			externalUserId: item.params.options.externalUserId,
		},
		isSimple: item.params.simplify,
	}),
	async execute(item, { source, settings, isSimple }) {
		const file = await openUpload(item, source);
		const body = await uploadFile(item.client, file, settings);
		return [{ json: isSimple ? compact(readStoredFile(body)) : body }];
	},
});

type UploadSource = { binary: IBinaryData } | { url: string } | { base64: Base64File };

/** The panel shows the fields of one source. */
function sourceOf(item: ItemInput<Values<typeof parameters>>): UploadSource {
	const { url: address, binaryPropertyName: field, base64: text = '', mimeType: type = '' } = item.params;
	if (address !== undefined) return { url: webAddress(address) };
	if (field) {
		const binary = binaryOf(item, field, "set 'Upload Source' to 'URL'");
		checkKnownSize(binary, 'binaryPropertyName');
		return { binary };
	}
	const { mimeType: given, ...file } = base64File(text);
	return { base64: { ...file, mimeType: type.trim() || given } };
}

async function openUpload(item: ItemContext, source: UploadSource): Promise<UploadFile> {
	if ('base64' in source) return fileOfBase64(source.base64);
	const file = await fileOf(item, 'url' in source ? await downloaded(item, source.url) : source.binary);
	checkSize(file.size, 'binaryPropertyName');
	return file;
}

function webAddress(given: string): string {
	const url = given.trim();
	if (isWebAddress(url)) return url;
	throw new InvalidInputError(
		"'URL' is not a web address",
		"It begins with https:// or http://. For a data URL, set 'Upload Source' to 'Base64 Text'.",
		'url',
	);
}

/** Stores the file at a URL in n8n, without the key. Errors say that nothing was sent to the gateway. */
async function downloaded({ client, n8n }: ItemContext, url: string): Promise<IBinaryData> {
	const check = (size: number) => checkSize(size, 'url');
	try {
		return await client.downloadUrl(url, async (response) => {
			const announced = asNumber(response.headers['content-length']);
			if (announced !== undefined) check(announced);
			const file = { names: [nameInUrl(url)], onChunk: (_: Uint8Array, size: number) => check(size) };
			return await storeResponse({ helpers: n8n.helpers }, response, file);
		});
	} catch (error) {
		if (!(error instanceof ApiError)) throw asError(error);
		throw error.with({ kind: 'create', outcome: 'notSent', param: 'url' });
	}
}

function base64File(text: string): Base64File {
	const file = readBase64(text);
	if (!file) {
		throw new InvalidInputError(
			'The text is not base64',
			"Enter the file as base64 text, or as a data URL such as data:image/png;base64,…. For a file from an earlier node set 'Upload Source' to 'Binary Field'.",
			'base64',
		);
	}
	checkSize(file.size, 'base64');
	return file;
}
