import type { ErrorText } from './statuses';

/** §7.5: texts by status for storage endpoints, whose errors carry no code. */
// prettier-ignore
export const BY_STORAGE_STATUS: Readonly<Record<number, ErrorText>> = {
	404: { message: 'The gateway has no such file',
		description: 'The file was deleted, has expired (uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them) or belongs to another account. Check the file ID and the credential.' },
	413: { message: 'The file is too large for the gateway',
		description: 'The gateway takes files of up to 100 MB.' },
};

const GONE: ErrorText = {
	message: 'There is no file behind the link',
	description:
		'The gateway keeps uploads for 24 hours, generated files for 7 days, and permanent ones until you delete them. Check the link.',
};
const NO_ACCESS: ErrorText = {
	message: 'The server of the file does not accept the link',
	description:
		'A link of the gateway stops working when its file expires or is deleted. A link elsewhere may need a sign-in: download the file with n8n’s HTTP Request node, and use its binary field.',
};

/** Texts for the URL of a file, which is requested without the key and outside the API. */
// prettier-ignore
export const BY_FILE_STATUS: Readonly<Record<number, ErrorText>> = {
	401: NO_ACCESS,
	403: NO_ACCESS,
	404: GONE,
	410: GONE,
	429: { message: 'The server of the file receives too many requests',
		description: "Lower the option 'Concurrency', or try again later." },
};
