import { connectionError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { ConnectionProblem, RequestInfo } from '../../../nodes/shared/gateway/errors/texts/connection';
import type { Origin } from '../../../nodes/shared/gateway/errors/texts/origin';

const PROBLEMS: ConnectionProblem[] = ['refused', 'certificate', 'address', 'lost', 'timeout'];
const ORIGINS: Array<Origin | undefined> = [undefined, 'action', 'chatModel', 'trigger', 'editor'];

const details = (kind: ConnectionProblem, traits: Partial<RequestInfo> = {}) =>
	connectionError({ kind }, { charged: false, ...traits }).details;
const textOf = (kind: ConnectionProblem, traits: Partial<RequestInfo> = {}) => {
	const { message, description } = details(kind, traits);
	return `${message}. ${description}`;
};
/** The problems whose text differs between two kinds of requests. */
const differ = (one: Partial<RequestInfo>, other: Partial<RequestInfo>) =>
	PROBLEMS.filter((kind) => textOf(kind, one) !== textOf(kind, other));

it('has a text for each problem, also with the server of a file', () => {
	const all = PROBLEMS.flatMap((kind) => [textOf(kind), textOf(kind, { file: true })]);
	expect(new Set(all).size).toBe(10);
	for (const text of all) expect(text).toMatch(/^\S.{20,}\S.{20,}/);
	for (const text of all) expect(text).not.toContain('undefined');
});

it('names the file where one was downloaded, also in a charged request', () => {
	for (const kind of PROBLEMS) expect(textOf(kind, { file: true })).toMatch(/file/);
	for (const kind of PROBLEMS) expect(textOf(kind)).not.toMatch(/file/);
	expect(differ({ file: true }, { file: true, charged: true })).toStrictEqual([]);
});

it('mentions a possible charge where the request may have arrived', () => {
	expect(differ({}, { charged: true })).toStrictEqual(['lost', 'timeout']);
	for (const kind of PROBLEMS) {
		expect(/charge/.test(textOf(kind, { charged: true }))).toBe(
			['refused', 'lost', 'timeout'].includes(kind),
		);
		expect(details(kind, { charged: true }).mayBeCharged).toBe(kind === 'lost' || kind === 'timeout');
		expect(details(kind).mayBeCharged).toBe(false);
	}
});

it.each(ORIGINS)('%s: names the timeout option where there is one', (origin) => {
	const namesIt = (traits: Partial<RequestInfo>) =>
		PROBLEMS.filter((kind) => textOf(kind, { origin, ...traits }).includes("'Timeout (Seconds)'"));
	const isAction = origin === undefined || origin === 'action';
	expect(namesIt({})).toStrictEqual(isAction || origin === 'chatModel' ? ['timeout'] : []);
	expect(namesIt({ file: true })).toStrictEqual(isAction ? ['timeout'] : []);
	for (const kind of PROBLEMS) expect(textOf(kind, { origin })).not.toContain('undefined');
});

it('has a code also where the network has none', () => {
	expect(PROBLEMS.map((kind) => details(kind).code)).toStrictEqual([
		'connection_lost',
		'connection_lost',
		'connection_lost',
		'connection_lost',
		'timeout',
	]);
});
