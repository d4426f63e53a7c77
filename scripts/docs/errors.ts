import { CONNECTION_TEXTS, connectionText } from '../../nodes/shared/gateway/errors/texts/connection';
import { errorText, type EndpointGroup, type ErrorText } from '../../nodes/shared/gateway/errors/texts';
import type { Origin } from '../../nodes/shared/gateway/errors/texts/origin';
import { isRetryableStatus } from '../../nodes/shared/gateway/errors/retryable';
import { STREAM_TEXTS } from '../../nodes/shared/gateway/text/streamErrors';
import spec from '../../test/fixtures/spec/errors.json';
import { table } from './markdown';

function section(title: string, rows: Array<[string, string, ErrorText]>): string {
	const cells = rows.map(([sign, retry, { message, description }]) => [sign, retry, message, description]);
	return `## ${title}\n\n${table(['answer', 'retried', 'message', 'what to do'], cells)}\n`;
}

const retried = (status: number) => (isRetryableStatus(status) ? 'yes' : 'no');
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
	const rows = texts.map(([sign, of]) => [sign, ...origins.map((origin) => of(origin).description)]);
	return `${table(['answer', 'Gateway Chat Model', 'triggers', 'lists, forms, test of a credential'], rows)}\n`;
}

/** docs/errors.md, generated from the error texts. */
export function errorsPage(): string {
	return [
		'# Errors and what to do',
		'',
		'What a user sees for each error of the gateway. Where the server says something, it is added to "what to do".',
		'Retried are the errors that can pass by themselves, up to *Max Retries* times.',
		'',
		'Not in these lists are mistakes that the node finds before it sends anything, such as a field that is empty or a number out of',
		'range: they name the field, say what it takes, and have the code `invalid_input`. They cost nothing.',
		'',
		section(
			'Text, balance and catalogues, and every authentication failure',
			spec.openai.map(({ status, code, type }) => [
				`${status} \`${code}\``,
				retried(status),
				errorText({ group: 'text', status, code, type }),
			]),
		),
		section(
			'API format Messages',
			spec.messages.map(({ status, type }) => [
				`${status} \`${type}\``,
				retried(status),
				errorText({ group: 'messages', status, type }),
			]),
		),
		section('Media tasks', byStatus('media', spec.media)),
		section('Storage', byStatus('storage', spec.storage)),
		section('Balance, catalogues and storage', byStatus('balance', [504])),
		section('Links to files', byStatus('file', [403, 404, 410])),
		section(
			'No answer, or none that can be read',
			Object.entries(CONNECTION_TEXTS).map(([kind, text]) => [
				kind,
				kind.endsWith('Charge') ? 'never' : '',
				text,
			]),
		),
		section(
			'A stream that does not come to its end',
			Object.values(STREAM_TEXTS).map(({ code, ...text }) => [`\`${code}\``, 'never', text]),
		),
		'Added is what had been received, and whether it may have been charged.',
		'',
		'## What to do where a node has no such options',
		'',
		'The advice above is that of nodes with the options *Concurrency*, *Max Retries* and *Timeout*. Elsewhere:',
		'',
		elsewhere(),
	].join('\n');
}
