import type { ErrorText } from './origin';

const FETCH_YOURSELF =
	"Use a URL that needs no sign-in; or download the file with n8n’s HTTP Request node and set 'Upload Source' to 'Binary Field'. Nothing was uploaded.";
const LATER = 'Run this item again later. Nothing was uploaded.';
const CHECK_URL = 'Check the URL. Nothing was uploaded.';

/** Texts for a user's URL from which a file is uploaded, by status. */
// prettier-ignore
export const SOURCE_TEXTS: Readonly<Record<number, ErrorText>> = {
	401: { message: 'The server of the URL asks for a sign-in (401)', description: FETCH_YOURSELF },
	403: { message: 'The server of the URL does not allow the download (403)', description: FETCH_YOURSELF },
	404: { message: 'There is no file at the URL (404)', description: CHECK_URL },
	410: { message: 'The file at the URL is gone (410)', description: CHECK_URL },
	429: { message: 'The server of the URL receives too many requests (429)',
		description: "Lower the option 'Concurrency', or run this item again later. Nothing was uploaded." },
};

/** The text for a status without one in {@link SOURCE_TEXTS}. */
export function sourceStatusText(status: number): ErrorText {
	return (
		SOURCE_TEXTS[status] ?? {
			message: `The server of the URL responded with status ${status} and no file`,
			description: status >= 500 ? LATER : CHECK_URL,
		}
	);
}

/** Texts for a URL without a usable response. */
// prettier-ignore
export const SOURCE_CONNECTION_TEXTS = {
	unreachable: { message: 'The server of the URL could not be reached',
		description: 'Check the URL, and whether this n8n server can and may reach it. Nothing was uploaded.' },
	silent: { message: 'The server of the URL did not send the file in time',
		description: "Run this item again later, or raise the option 'Timeout (Seconds)'. Nothing was uploaded." },
	broken: { message: 'The connection to the server of the URL broke before the file was complete', description: LATER },
	webPage: { message: 'A web page came from the URL instead of the file',
		description: `The link probably leads to a sign-in or preview page. ${FETCH_YOURSELF}` },
	empty: { message: 'The file at the URL is empty', description: CHECK_URL },
} satisfies Record<string, ErrorText>;
