import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { CONNECTION_TEXTS } from '../../nodes/shared/gateway/connectionTexts';
import { errorText, type EndpointGroup, type ErrorText } from '../../nodes/shared/gateway/errorTexts';
import { isRetryableStatus } from '../../nodes/shared/gateway/retry';
import { STREAM_TEXTS } from '../../nodes/shared/gateway/streamFailures';
import spec from '../fixtures/spec/errors.json';

// docs/errors.md is made from the texts themselves, so that it cannot go stale.
// `UPDATE_DOCS=1 npx jest test/docs/errors` writes it anew.

const file = resolve(__dirname, '../../docs/errors.md');

function table(title: string, rows: Array<[string, string, ErrorText]>): string {
	const lines = rows.map(
		([sign, retry, { message, description }]) => `| ${sign} | ${retry} | ${message} | ${description} |`,
	);
	return [
		`## ${title}`,
		'',
		'| answer | retried | message | what to do |',
		'|---|---|---|---|',
		...lines,
		'',
	].join('\n');
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
		table(
			'Text, balance and catalogues, and every authentication failure',
			spec.openai.map(({ status, code, type }) => [
				`${status} \`${code}\``,
				retried(status),
				errorText({ group: 'text', status, code, type }),
			]),
		),
		table(
			'Messages format',
			spec.messages.map(({ status, type }) => [
				`${status} \`${type}\``,
				retried(status),
				errorText({ group: 'messages', status, type }),
			]),
		),
		table('Media tasks', byStatus('media', spec.media)),
		table('Storage', byStatus('storage', spec.storage)),
		table('Links to files', byStatus('file', [403, 404, 410])),
		table(
			'No answer, or none that can be read',
			Object.entries(CONNECTION_TEXTS).map(([kind, text]) => [
				kind,
				kind.endsWith('Charge') ? 'never' : '',
				text,
			]),
		),
		table(
			'A stream that does not come to its end',
			Object.values(STREAM_TEXTS).map(({ code, ...text }) => [`\`${code}\``, 'never', text]),
		),
		'Added is what had been received, and whether it may have been charged.',
	].join('\n');
}

it('docs/errors.md says what users see', () => {
	const expected = `${document().trimEnd()}\n`;
	if (process.env.UPDATE_DOCS) writeFileSync(file, expected);
	expect(readFileSync(file, 'utf8')).toBe(expected);
});
