import { CONNECTION_TEXTS } from '../../nodes/shared/gateway/connectionTexts';
import { errorText, type EndpointGroup, type ErrorText } from '../../nodes/shared/gateway/errorTexts';
import { isRetryableStatus } from '../../nodes/shared/gateway/retry';
import { STREAM_TEXTS } from '../../nodes/shared/gateway/streamFailures';
import spec from '../fixtures/spec/errors.json';
import { expectCurrent } from './current';
import { table } from './markdown';

// docs/errors.md is made from the texts themselves, so that it cannot go stale.

function section(title: string, rows: Array<[string, string, ErrorText]>): string {
	const cells = rows.map(([sign, retry, { message, description }]) => [sign, retry, message, description]);
	return `## ${title}\n\n${table(['answer', 'retried', 'message', 'what to do'], cells)}\n`;
}

const retried = (status: number) => (isRetryableStatus(status) ? 'yes' : 'no');
const byStatus = (group: EndpointGroup, statuses: number[]): Array<[string, string, ErrorText]> =>
	statuses.map((status) => [String(status), retried(status), errorText({ group, status })]);

function document(): string {
	return [
		'# Errors and what to do',
		'',
		'What a user sees for each error of the gateway. Where the server says something, it is added to "what to do".',
		'Retried are the errors that can pass by themselves, up to *Max Retries* times.',
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
			'Messages format',
			spec.messages.map(({ status, type }) => [
				`${status} \`${type}\``,
				retried(status),
				errorText({ group: 'messages', status, type }),
			]),
		),
		section('Media tasks', byStatus('media', spec.media)),
		section('Storage', byStatus('storage', spec.storage)),
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
	].join('\n');
}

it('docs/errors.md says what users see', () => expectCurrent('docs/errors.md', document()));
