import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readBalance } from '../gateway/endpoints/balance';
import { UNREADABLE } from '../gateway/errors/errors';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { errorFromResponse, problemError } from '../gateway/errors/fromResponse';
import { redact } from '../gateway/errors/secrets';
import { asObject, parseJson } from '../gateway/util/json';
import { readAddress, type GatewayAddress } from './transport';

/** The user waits for the result. */
const TIMEOUT_MS = 30_000;

/** The errors by status. The form shows one sentence. */
const BY_STATUS: Readonly<Record<number, string>> = {
	401: 'The API key was refused: it is wrong, revoked or expired. The base URL is right.',
	404: 'No gateway responds at this base URL. It is the address that ends in /api/v1.',
};

const OTHER_SIGN_IN =
	'Something other than the gateway asks for a sign-in at this base URL. It is the address that ends in /api/v1.';

/**
 * Tests a credential by requesting the balance (§4.18). n8n's declarative test accepts any web page and shows
 * codes such as ECONNREFUSED; this one says whether the key or the address is wrong.
 */
export async function testGateway(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	const apiKey = String(credential.data?.apiKey ?? '').trim();
	try {
		const address = readAddress({ baseUrl: String(credential.data?.baseUrl ?? ''), apiKey });
		await checkBalance(this, address, apiKey);
		return { status: 'OK', message: 'The gateway knows this key' };
	} catch (error) {
		return { status: 'Error', message: redact(problemText(error), [apiKey]) };
	}
}

async function checkBalance(
	context: ICredentialTestFunctions,
	{ baseUrl, secrets }: GatewayAddress,
	apiKey: string,
): Promise<void> {
	const response = await requestBalance(context, baseUrl, apiKey);
	if (response.status < 200 || response.status > 299) {
		throw errorFromResponse({ ...response, group: 'balance', kind: 'read', now: Date.now(), secrets });
	}
	const body = asObject(parseJson(response.body));
	if (!body) throw problemError('notJson', 'read', { status: response.status });
	readBalance(body);
}

/** Credential tests have another HTTP helper than nodes, which does not sign requests. */
async function requestBalance(
	context: ICredentialTestFunctions,
	baseUrl: string,
	apiKey: string,
): Promise<{ status: number; body: string }> {
	const response: unknown = await context.helpers.request({
		method: 'GET',
		uri: `${baseUrl}/balance`,
		headers: { Accept: 'application/json', Authorization: `Bearer ${apiKey}` },
		resolveWithFullResponse: true,
		simple: false,
		followRedirect: false,
		timeout: TIMEOUT_MS,
	});
	const { statusCode, body } = asObject(response) ?? {};
	return {
		status: Number(statusCode),
		body: typeof body === 'string' ? body : JSON.stringify(body ?? ''),
	};
}

function problemText(error: unknown): string {
	const known = errorFromThrown(error, 'read');
	if (known && 'details' in known) {
		const { status, code, type, message, description } = known.details;
		// Something else responds at this address: the gateway's errors have a code or a type.
		if (status === 401 && (code === undefined || code === UNREADABLE) && type === undefined)
			return OTHER_SIGN_IN;
		return BY_STATUS[status ?? 0] ?? `${message}. ${description}`;
	}
	return error instanceof Error ? error.message : String(error);
}
