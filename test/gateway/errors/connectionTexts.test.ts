import { connectionError } from '../../../nodes/shared/gateway/errors/fromResponse';
import type { ConnectionProblem, RequestInfo } from '../../../nodes/shared/gateway/errors/texts/connection';
import type { Origin } from '../../../nodes/shared/gateway/errors/texts/origin';

const PROBLEMS: ConnectionProblem[] = ['refused', 'certificate', 'address', 'lost', 'timeout'];
const ORIGINS: Array<Origin | undefined> = [undefined, 'action', 'chatModel', 'trigger', 'editor'];

const details = (kind: ConnectionProblem, traits: Partial<RequestInfo> = {}) =>
	connectionError({ kind }, { charged: false, ...traits }).details;
const words = (kind: ConnectionProblem, traits: Partial<RequestInfo> = {}) => {
	const { message, description } = details(kind, traits);
	return `${message}. ${description}`;
};
/** Whether the hint differs between two kinds of requests. */
const differ = (one: Partial<RequestInfo>, other: Partial<RequestInfo>) =>
	PROBLEMS.filter((kind) => words(kind, one) !== words(kind, other));

it('has words for each problem, also with the server of a file', () => {
	const all = PROBLEMS.flatMap((kind) => [words(kind), words(kind, { file: true })]);
	expect(new Set(all).size).toBe(10);
	for (const text of all) expect(text).toMatch(/^\S.{20,}\S.{20,}/);
	for (const text of all) expect(text).not.toContain('undefined');
});

it('speaks of the file where one was downloaded, also a charged one', () => {
	for (const kind of PROBLEMS) expect(words(kind, { file: true })).toMatch(/file/);
	for (const kind of PROBLEMS) expect(words(kind)).not.toMatch(/file/);
	expect(differ({ file: true }, { file: true, charged: true })).toStrictEqual([]);
});

it('tells of a possible charge where the request may have arrived', () => {
	expect(differ({}, { charged: true })).toStrictEqual(['lost', 'timeout']);
	for (const kind of PROBLEMS) {
		expect(/charge/.test(words(kind, { charged: true }))).toBe(['refused', 'lost', 'timeout'].includes(kind));
		expect(details(kind, { charged: true }).mayBeCharged).toBe(kind === 'lost' || kind === 'timeout');
		expect(details(kind).mayBeCharged).toBe(false);
	}
});

it.each(ORIGINS)('%s: advises of the timeout where there is one to set', (origin) => {
	const namesIt = (traits: Partial<RequestInfo>) =>
		PROBLEMS.filter((kind) => words(kind, { origin, ...traits }).includes("'Timeout (Seconds)'"));
	const isAction = origin === undefined || origin === 'action';
	expect(namesIt({})).toStrictEqual(isAction || origin === 'chatModel' ? ['timeout'] : []);
	expect(namesIt({ file: true })).toStrictEqual(isAction ? ['timeout'] : []);
	for (const kind of PROBLEMS) expect(words(kind, { origin })).not.toContain('undefined');
});

it('has a code also where the network gave none', () => {
	expect(PROBLEMS.map((kind) => details(kind).code)).toStrictEqual([
		'connection_lost',
		'connection_lost',
		'connection_lost',
		'connection_lost',
		'timeout',
	]);
});
