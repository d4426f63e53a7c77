import type { ApiError } from '../../nodes/shared/gateway/errors/errors';
import { errorFromResponse, problemError } from '../../nodes/shared/gateway/errors/fromResponse';
import { chargeText } from '../../nodes/shared/gateway/errors/outcome';
import type { RequestKind } from '../../nodes/shared/gateway/errors/errors';
import { mayRepeat } from '../../nodes/shared/gateway/errors/policy';
import type { EndpointGroup } from '../../nodes/shared/gateway/errors/texts';
import { FILE_PROBLEMS, PROBLEMS, type ProblemName } from '../../nodes/shared/gateway/errors/texts/problems';
import { STREAM_TEXTS } from '../../nodes/shared/gateway/text/streamErrors';
import spec from '../../test/fixtures/spec/errors.json';
import { table } from './markdown';

/** A row: what came, and the error that it becomes. */
type Row = [response: string, kind: RequestKind, error: ApiError];

function section(title: string, rows: Row[]): string {
	const cells = rows.map(([response, kind, { details }]) => [
		response,
		mayRepeat(kind, details) ? 'yes' : 'no',
		details.message,
		[details.description, chargeText(details)].filter(Boolean).join(' '),
	]);
	return `## ${title}\n\n${table(['response', 'retried', 'message', 'what to do'], cells)}\n`;
}

/** The error for a status, with the body that the group sends. */
function response(
	group: EndpointGroup,
	kind: RequestKind,
	status: number,
	error: { code?: string; type?: string } = {},
): ApiError {
	const isEnvelope = group === 'media' && error.code === undefined;
	const body = isEnvelope ? { code: status, msg: '', data: null } : { error: { type: 'error', ...error } };
	return errorFromResponse({ group, kind, status, body: JSON.stringify(body), now: 0, secrets: [] });
}

const byStatus = (group: EndpointGroup, kind: RequestKind, statuses: number[]): Row[] =>
	statuses.map((status) => [String(status), kind, response(group, kind, status)]);

const namesOf = (problems: object) => Object.keys(problems) as ProblemName[];

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
			'Text, and all authentication errors',
			spec.openai.map(({ status, code, type }) => [
				`${status} \`${code}\``,
				'charge',
				response('text', 'charge', status, { code, type }),
			]),
		),
		section(
			'API format Messages',
			spec.messages.map(({ status, type }) => [
				`${status} \`${type}\``,
				'charge',
				response('messages', 'charge', status, { type }),
			]),
		),
		section('Creation of media tasks', byStatus('media', 'keyed', spec.media)),
		section('Storage', byStatus('storage', 'read', spec.storage)),
		section('Balance, catalogues and storage', byStatus('balance', 'read', [504])),
		section('Links to files', byStatus('file', 'file', [401, 403, 404, 410, 429, 500])),
		section(
			'A text without a response, or with an unreadable one',
			namesOf(PROBLEMS)
				.filter((name) => name !== 'webPage' && name !== 'empty')
				.map((name) => [name, 'charge', problemError(name, 'charge')]),
		),
		section(
			'A file without a response, or with an unreadable one',
			[...namesOf(FILE_PROBLEMS), 'webPage' as const, 'empty' as const].map((name) => [
				name,
				'file',
				problemError(name, 'file'),
			]),
		),
		'## An incomplete stream',
		'',
		table(
			['code', 'message', 'what to do'],
			Object.values(STREAM_TEXTS).map(({ code, message, description }) => [
				`\`${code}\``,
				message,
				description,
			]),
		),
		'',
		'The error also has the text so far, and says whether it may be charged.',
		'',
	].join('\n');
}
