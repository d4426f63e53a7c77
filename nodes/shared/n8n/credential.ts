import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ILoadOptionsFunctions,
	IPollFunctions,
	ISupplyDataFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { InvalidInputError } from '../gateway/errors/errors';
import { asDecimal, compareDecimals } from '../gateway/util/money';
import { trimmedEnd } from '../gateway/util/text';
import { fieldOf } from '../gateway/util/json';

export type N8nContext =
	| IExecuteFunctions
	| ILoadOptionsFunctions
	| IPollFunctions
	| ISupplyDataFunctions
	| IWebhookFunctions;

/** The credential's name, as workflows store it. */
export const CREDENTIAL = 'aiGatewayApi';

/** How long a credential is reused. A wait of hours must notice a new key. */
const CREDENTIAL_LIFE_MS = 60_000;

/** @param isFirst to return the fields that were read first: a call that costs money is repeated with the same key */
export type CredentialReader = (isFirst?: boolean) => Promise<ICredentialDataDecryptedObject>;

/** Caches the credential of an item: n8n's HTTP helper reads it from the database and decrypts it for each request. */
export function credentialReader(context: N8nContext, itemIndex = 0): CredentialReader {
	let first: ReturnType<CredentialReader> | undefined;
	let last: { time: number; fields: ReturnType<CredentialReader> } | undefined;
	return async (isFirst = false) => {
		if (isFirst && first) return await first;
		const time = Date.now();
		if (!last || time - last.time >= CREDENTIAL_LIFE_MS) {
			const fields = context.getCredentials(CREDENTIAL, itemIndex);
			last = { time, fields };
			first ??= fields;
			fields.catch(() => {
				last = undefined;
				if (first === fields) first = undefined;
			});
		}
		return await last.fields;
	};
}

/** The limit of cost of a credential: its name as n8n stores it, and its label. */
export const minBalance = { param: 'minBalanceRub', label: 'Minimum Balance (₽)' };

export interface GatewayAddress {
	/** Without a trailing slash. */
	baseUrl: string;
	/** Texts to remove from errors. */
	secrets: readonly [apiKey: string];
	/** Decimal text in rubles, see {@link checkMinBalance}. */
	minBalanceRub: string | undefined;
}

/**
 * White space around the fields, slashes at the end of the base URL, an endpoint behind its /api/v1, and `Bearer` before the
 * key are removed. Throws {@link InvalidInputError} for what cannot be right.
 */
export function readAddress(fields: ICredentialDataDecryptedObject = {}): GatewayAddress {
	const read = (name: string) => String(fieldOf(fields, name) ?? '').trim();
	const baseUrl = withoutEndpoint(read('baseUrl'));
	const apiKey = readApiKey(fields);
	// A field that is not set is an empty text, and what is not there an expression that gives nothing.
	const isGone = Object.hasOwn(fields, 'minBalanceRub') && (fields.minBalanceRub ?? null) === null;
	// A user name would be sent instead of the key.
	if (!/^https?:\/\/[^\s/@]+(\/|$)/i.test(baseUrl) || !URL.canParse(baseUrl))
		throw new InvalidInputError(
			'The base URL in the AI Gateway credential is not a web address',
			'Enter the address of the gateway’s API: it begins with https://, has no user name, and ends in /api/v1. Check its host name and port.',
			'baseUrl',
		);
	// The paths of requests would become a part of it.
	if (/[?#]/.test(read('baseUrl')))
		throw new InvalidInputError(
			'The base URL in the AI Gateway credential has a query or a fragment',
			'Remove the ? or the # and what follows it. The address ends in /api/v1.',
			'baseUrl',
		);
	if (/\*\*|\.\.\.|[…•]/.test(apiKey))
		throw new InvalidInputError(
			'The API key in the AI Gateway credential is masked',
			'It is the form that the web application shows later. Enter the full key as it was shown when it was created, or create a new one.',
			'apiKey',
		);
	if (!/^[\x21-\x7e]*$/.test(apiKey))
		throw new InvalidInputError(
			'The API key in the AI Gateway credential has characters that no key has',
			'Copy the key again, without spaces or words around it.',
			'apiKey',
		);
	return { baseUrl, secrets: [apiKey], minBalanceRub: read('minBalanceRub') || (isGone ? '' : undefined) };
}

const API_PATH = '/api/v1';

function withoutEndpoint(url: string): string {
	const end = url.lastIndexOf(`${API_PATH}/`);
	return end === -1 ? trimmedEnd(url, /\//) : url.slice(0, end + API_PATH.length);
}

/** The API key, also of a field that has it as its header does. */
export const readApiKey = ({ apiKey }: ICredentialDataDecryptedObject = {}): string =>
	String(apiKey ?? '')
		.trim()
		.replace(/^bearer\s+/i, '');

/** Only calls that cost money need it. An expression that gives nothing is an error, too: it would remove the limit. */
export function checkMinBalance(minBalanceRub: string): void {
	if ((compareDecimals(asDecimal(minBalanceRub) ?? '', '0') ?? -1) >= 0) return;
	throw new InvalidInputError(
		`'${minBalance.label}' in the AI Gateway credential is not an amount`,
		'Enter only a number, such as 100 or 99.50, with a point before the decimals, or leave it empty. If an expression fills it, what it refers to is empty for this item.',
		minBalance.param,
	);
}
