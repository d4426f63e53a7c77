import type {
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readBalance } from '../gateway/endpoints/balance';
import { asError, InvalidInputError, UNREADABLE } from '../gateway/errors/errors';
import { errorFromThrown } from '../gateway/errors/fromConnection';
import { errorFromResponse, problemError, statusInBody } from '../gateway/errors/fromResponse';
import { redact } from '../gateway/errors/secrets';
import { asObject, parseJson } from '../gateway/util/json';
import { inHtml } from '../gateway/util/text';
import { checkMinBalance, readAddress, readApiKey } from './credential';

/** The user waits for the result. */
const TIMEOUT_MS = 30_000;

/** The errors by status. The form shows one sentence. */
const SENTENCES: Readonly<Record<number, string>> = {
	401: 'The API key was refused: it is wrong, revoked or expired. The base URL is right.',
	404: 'No gateway responds at this base URL. Enter the address that ends in /api/v1.',
};

const OTHER_SIGN_IN =
	'Something other than the gateway asks for a sign-in at this base URL. Enter the address that ends in /api/v1.';

/** Requests the balance (§4.18): n8n's declarative test accepts any web page, and shows codes such as ECONNREFUSED. */
export async function testGateway(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted<ICredentialDataDecryptedObject>,
): Promise<INodeCredentialTestResult> {
	try {
		await requestBalance(this, data);
		return { status: 'OK', message: 'The gateway knows this key' };
	} catch (error) {
		return { status: 'Error', message: inHtml(redact(sentenceOf(error), [readApiKey(data)])) };
	}
}

/** Credential tests have another HTTP helper than nodes, which does not sign requests. */
async function requestBalance(
	{ helpers }: ICredentialTestFunctions,
	data?: ICredentialDataDecryptedObject,
): Promise<void> {
	const { baseUrl, secrets, minBalanceRub } = readAddress(data);
	if (minBalanceRub !== undefined) checkMinBalance(minBalanceRub);
	const response: unknown = await helpers.request({
		method: 'GET',
		uri: `${baseUrl}/balance`,
		headers: { Accept: 'application/json', Authorization: `Bearer ${secrets[0]}` },
		resolveWithFullResponse: true,
		simple: false,
		followRedirect: false,
		timeout: TIMEOUT_MS,
	});
	const { statusCode, body = '' } = response as { statusCode: number; body?: string };
	const isSuccess = statusCode >= 200 && statusCode <= 299;
	const balance = isSuccess ? asObject(parseJson(body)) : {};
	if (!balance) throw problemError('notJson', 'read', { status: statusCode });
	const endpoint = 'fetchBalance';
	// §7.1: an error may have the status of a success.
	const status = isSuccess ? statusInBody(endpoint, balance) : statusCode;
	if (status !== undefined)
		throw errorFromResponse({ status, body, endpoint, kind: 'read', now: Date.now(), secrets });
	readBalance(balance);
}

function sentenceOf(error: unknown): string {
	if (error instanceof InvalidInputError) return `${error.message}. ${error.description}`;
	const known = errorFromThrown(error, 'read');
	if (!known || !('details' in known)) return asError(error).message;
	const { status = 0, code = UNREADABLE, type, message, description } = known.details;
	// The gateway's errors have a code or a type.
	if (status === 401 && code === UNREADABLE && type === undefined) return OTHER_SIGN_IN;
	return SENTENCES[status] ?? `${message}. ${description}`;
}
