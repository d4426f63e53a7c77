import { CONNECTION_TEXTS, connectionText } from '../../nodes/shared/gateway/errors/texts/connection';
import { errorText, type EndpointGroup, type ErrorText } from '../../nodes/shared/gateway/errors/texts';
import type { Origin } from '../../nodes/shared/gateway/errors/texts/origin';
import { SOURCE_CONNECTION_TEXTS, sourceStatusText } from '../../nodes/shared/gateway/errors/texts/source';
import { isRetryableStatus } from '../../nodes/shared/gateway/errors/retryable';
import { STREAM_TEXTS } from '../../nodes/shared/gateway/text/streamErrors';
import spec from '../../test/fixtures/spec/errors.json';
import { table } from './markdown';

function section(title: string, rows: Array<[string, string, ErrorText]>): string {
	const cells = rows.map(([response, retry, { message, description }]) => [
		response,
		retry,
		message,
		description,
	]);
	return `## ${title}\n\n${table(['response', 'retried', 'message', 'what to do'], cells)}\n`;
}

const retried = (status: number) => (isRetryableStatus(status) ? 'yes' : 'no');
/** A text that the gateway has stopped at its time limit may have been charged. */
const textRetried = (status: number) => (status === 504 ? 'never' : retried(status));
const byStatus = (group: EndpointGroup, statuses: number[]): Array<[string, string, ErrorText]> =>
	statuses.map((status) => [String(status), retried(status), errorText({ group, status })]);

/** Hints that name options, and their replacements in panels without options. */
function elsewhere(): string {
	const texts: Array<[string, (origin: Origin) => ErrorText]> = [
		['429 `rate_limit_exceeded`', (origin) => errorText({ group: 'text', status: 429, origin })],
		[
			'429 `token_limit_exceeded`',
			(origin) => errorText({ group: 'text', status: 429, code: 'token_limit_exceeded', origin }),
		],
		['429 of the link to a file', (origin) => errorText({ group: 'file', status: 429, origin })],
		['timeout', (origin) => connectionText('timeout', { charged: false, origin })],
		['fileTimeout', (origin) => connectionText('timeout', { charged: false, file: true, origin })],
	];
	const origins: Origin[] = ['chatModel', 'trigger', 'editor'];
	const rows = texts.map(([response, of]) => [response, ...origins.map((origin) => of(origin).description)]);
	return `${table(['response', 'Gateway Chat Model', 'triggers', 'lists, forms, credential test'], rows)}\n`;
}

/** docs/errors.md, generated from the error texts. */
export function errorsPage(): string {
	return [
		'# Errors and what to do',
		'',
		'The messages for each error of the gateway. The gateway’s own message, if any, follows under "what to do".',
		'Transient errors are retried up to *Max Retries* times; a 429 for as long as *Rate Limit Wait*. A call that may have',
		'been charged is not retried, except the creation of a media task, which sends the same idempotency key.',
		'',
		'Invalid input, such as an empty field or a number out of range, is not listed. The node rejects it before it sends',
		'anything, and names the field and its valid values. The code is `invalid_input`, and nothing is charged.',
		'',
		section(
			'Text, balance and catalogues, and all authentication errors',
			spec.openai.map(({ status, code, type }) => [
				`${status} \`${code}\``,
				textRetried(status),
				errorText({ group: 'text', status, code, type }),
			]),
		),
		section(
			'API format Messages',
			spec.messages.map(({ status, type }) => [
				`${status} \`${type}\``,
				textRetried(status),
				errorText({ group: 'messages', status, type }),
			]),
		),
		section('Media tasks', byStatus('media', spec.media)),
		section('Storage', byStatus('storage', spec.storage)),
		section('Balance, catalogues and storage', byStatus('balance', [504])),
		section('Links to files', byStatus('file', [403, 404, 410])),
		section('Uploads from a URL', [
			...[401, 403, 404, 410, 429, 500].map((status): [string, string, ErrorText] => [
				String(status),
				retried(status),
				sourceStatusText(status),
			]),
			...Object.entries(SOURCE_CONNECTION_TEXTS).map(([kind, text]): [string, string, ErrorText] => [
				kind,
				'',
				text,
			]),
		]),
		section(
			'No response, or an unreadable one',
			Object.entries(CONNECTION_TEXTS).map(([kind, text]) => [
				kind,
				kind.endsWith('Charge') ? 'never' : '',
				text,
			]),
		),
		section(
			'An incomplete stream',
			Object.values(STREAM_TEXTS).map(({ code, ...text }) => [`\`${code}\``, 'never', text]),
		),
		'The error also has the text so far, and says whether it may be charged.',
		'',
		'## Hints in nodes without these options',
		'',
		'The hints above are for nodes with the options *Concurrency*, *Max Retries* and *Timeout*. In other places:',
		'',
		elsewhere(),
	].join('\n');
}
