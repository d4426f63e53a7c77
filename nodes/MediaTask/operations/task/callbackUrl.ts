import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import {
	encodePassThrough,
	MAX_PASS_THROUGH_BYTES,
	withPassThrough,
} from '../../../shared/gateway/media/passThrough';
import type { Json } from '../../../shared/gateway/util/json';

/**
 * Reads the callback URL for the gateway (§4.6).
 *
 * @param gatewayUrl the gateway's own address: one in a local network reaches others there
 * @throws {InvalidInputError} for what is no web address, and for one that only this machine or network can reach
 */
export function readCallbackUrl(url: string | undefined, gatewayUrl: string): string | undefined {
	const address = url?.trim() ?? '';
	if (address === '') return undefined;
	const problem = unreachable(address, gatewayUrl);
	if (problem === undefined) return address;
	throw new InvalidInputError(
		`The gateway cannot reach the callback URL: ${problem}`,
		'Use the public address of this n8n, which begins with https:// (its webhook URL, set by N8N_WEBHOOK_URL or, in older versions, WEBHOOK_URL).',
		'callbackUrl',
	);
}

/**
 * The callback URL with the data of *Pass Through*, which the trigger returns.
 *
 * @param data `undefined` for none
 * @throws {InvalidInputError} for data without a callback URL, and for data over the limits
 */
export function callbackWithData(url: string | undefined, data: Json | undefined): string | undefined {
	if (data === undefined) return url;
	if (url === undefined) {
		throw new InvalidInputError(
			"'Pass Through (JSON)' needs a 'Callback URL'",
			"The data comes back with the callback of the task. Add the option 'Callback URL' with the URL of a Gateway Media Task Trigger.",
			'passThrough',
		);
	}
	const encoded = encodePassThrough(data);
	if (encoded !== undefined) return withPassThrough(url, encoded);
	throw new InvalidInputError(
		"'Pass Through (JSON)' is too large",
		`The data is part of the callback URL: up to ${MAX_PASS_THROUGH_BYTES} bytes as JSON, with up to 50 levels. Pass an ID on, and look up the rest when the workflow starts.`,
		'passThrough',
	);
}

/** Why the gateway cannot reach a URL; `undefined` when it can. Its own address in a local network reaches others there. */
export function unreachable(url: string, gatewayUrl: string): string | undefined {
	const host = hostOf(url);
	if (host === undefined) return `"${url}" is no web address`;
	const isLocal = isLocalHost(host) && !isLocalHost(hostOf(gatewayUrl) ?? '');
	return isLocal ? `"${host}" is an address of a local network` : undefined;
}

function hostOf(url: string): string | undefined {
	if (!/^https?:\/\/[^\s/]/i.test(url) || !URL.canParse(url)) return undefined;
	return new URL(url).hostname.replace(/\.$/, '');
}

/** Networks that are not routed on the internet (RFC 1918, 3927, 4193, 6598), and the machine itself. */
const LOCAL_ADDRESSES = [
	/^(0|10|127)\.[\d.]+$/,
	/^192\.168\.[\d.]+$/,
	/^172\.(1[6-9]|2\d|3[01])\.[\d.]+$/,
	/^169\.254\.[\d.]+$/,
	/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+$/,
	/^\[(::1?|f[cd][0-9a-f]*:.*|fe[89ab][0-9a-f]:.*)\]$/,
	/(^|\.)(localhost|local|internal|lan|home\.arpa)$/,
];

function isLocalHost(host: string): boolean {
	// A name without a dot, such as that of a container, is known on this network only.
	return LOCAL_ADDRESSES.some((pattern) => pattern.test(host)) || /^[^.[\]]+$/.test(host);
}
