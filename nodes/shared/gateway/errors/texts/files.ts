import type { ErrorText, TextByOrigin } from './origin';
import { INTERNAL, WRONG_KEY } from './common';

/** §7.5: texts by status for storage endpoints, whose errors carry no code. */
// prettier-ignore
export const BY_STORAGE_STATUS: Readonly<Record<number, ErrorText>> = {
	401: WRONG_KEY,
	404: { message: 'The gateway has no such file',
		description: 'The file was deleted, has expired (uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them) or belongs to another account. Check the file ID and the credential.' },
	413: { message: 'The file is too large for the gateway',
		description: 'The gateway takes files of up to 100 MB.' },
	500: INTERNAL,
};

const LATER = 'Try again later; the file stays at the gateway.';

const FILE_SERVER_FAILED: ErrorText = {
	message: 'The server of the file failed',
	description: LATER,
};

/** Texts for a file's own URL, which is served without a key and outside the API. */
// prettier-ignore
export const BY_FILE_STATUS: Readonly<Record<number, TextByOrigin>> = {
	401: { message: 'The link to the file is not accepted any more',
		description: 'Links to files stop working when the file expires or is deleted. Download it again, or generate it again.' },
	429: {
		message: 'The server of the file receives too many requests',
		description: "Lower the option 'Concurrency', or try again later; the file stays at the gateway.",
		elsewhere: { chatModel: LATER, trigger: LATER, editor: LATER },
	},
	500: FILE_SERVER_FAILED,
	502: FILE_SERVER_FAILED,
	503: FILE_SERVER_FAILED,
	504: FILE_SERVER_FAILED,
	403: { message: 'The link to the file is not accepted any more',
		description: 'Links to files stop working when the file expires or is deleted. Generate or upload it again.' },
	404: { message: 'The file behind the link is gone',
		description: 'Uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them. Generate or upload it again.' },
	410: { message: 'The file behind the link is gone',
		description: 'It has expired or was deleted. Generate or upload it again.' },
};
