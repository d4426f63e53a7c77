import type { NodeHint } from 'n8n-workflow';

import { InvalidInputError } from '../../../shared/gateway/errors/errors';
import { isWebAddress } from '../../../shared/gateway/util/text';

/** Warns before a run whose callbacks nobody would hear. */
export const testUrlHint: NodeHint = {
	message:
		"'Callback URL' is a test URL, which works only while the editor waits for a call. Publish the workflow with the Gateway Media Task Trigger, and copy the trigger's production URL.",
	type: 'warning',
	location: 'outputPane',
	whenToDisplay: 'beforeExecution',
	displayCondition: '={{ String($parameter["options"]?.["callbackUrl"] ?? "").includes("/webhook-test/") }}',
};

/** Reads the callback URL (§4.6). */
export function readCallbackUrl(url = ''): string | undefined {
	const address = url.trim();
	if (address === '') return undefined;
	if (isWebAddress(address)) return address;
	throw new InvalidInputError(
		`The gateway cannot reach the callback URL: "${address}" is no web address`,
		'Use the public address of this n8n, which begins with https:// (its webhook URL, set by N8N_WEBHOOK_URL or, in older versions, WEBHOOK_URL).',
		'callbackUrl',
	);
}

/** Why the gateway cannot reach a URL; `undefined` when it can. One in a local network reaches others there. */
export function unreachable(url: string, gatewayUrl: string): string | undefined {
	const host = hostOf(url);
	if (host === undefined) return `"${url}" is no web address`;
	const isLocal = isLocalHost(host) && !isLocalHost(hostOf(gatewayUrl) ?? '');
	return isLocal ? `"${host}" is an address of a local network` : undefined;
}

function hostOf(url: string): string | undefined {
	return isWebAddress(url) ? new URL(url).hostname.replace(/\.$/, '') : undefined;
}

/** This machine, networks that are not routed on the internet (RFC 1918, 6598), and names such as those of containers. */
const LOCAL_HOSTS = [
	/^(0|10|127|192\.168)\.[\d.]+$/,
	/^172\.(1[6-9]|2\d|3[01])\.[\d.]+$/,
	/^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+$/,
	/^(\[::1\]|[^.[\]]+)$/,
	/\.(localhost|local|internal|lan|home\.arpa)$/,
];

const isLocalHost = (host: string) => LOCAL_HOSTS.some((pattern) => pattern.test(host));
