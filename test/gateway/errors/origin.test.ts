import {
	connectionText,
	type ConnectionProblem,
} from '../../../nodes/shared/gateway/errors/texts/connection';
import { errorText, type EndpointGroup } from '../../../nodes/shared/gateway/errors/texts';
import type { Origin } from '../../../nodes/shared/gateway/errors/texts/origin';
import spec from '../../fixtures/spec/errors.json';
import { fields } from '../../helpers/panel';

// A hint names an option only where there is one: nodes with and without options get the same error response.

/** The requests of each origin, and the nodes whose options a user has there. */
const ORIGINS: Readonly<Record<Origin, { groups: EndpointGroup[]; nodes: string[] }>> = {
	action: {
		groups: ['text', 'messages', 'media', 'storage', 'balance', 'catalogue', 'file'],
		nodes: ['textGeneration', 'mediaTask', 'storage', 'balance'],
	},
	chatModel: { groups: ['text', 'messages', 'catalogue'], nodes: ['chatModel'] },
	trigger: { groups: ['media', 'balance', 'file'], nodes: ['mediaTaskTrigger', 'balanceTrigger'] },
	editor: { groups: ['catalogue', 'balance'], nodes: [] },
};

/** An option of n8n's nodes that use a chat model. */
const OF_AGENTS = 'Batch Size';

const PROBLEMS: ConnectionProblem[] = ['refused', 'certificate', 'address', 'lost', 'timeout'];
const STATUSES = [...new Set([...spec.openai.map(({ status }) => status), ...spec.media, 413, 418, 599])];
const ERROR_INFOS = [
	...spec.openai,
	...spec.messages.map((errorInfo) => ({ ...errorInfo, code: undefined })),
	...STATUSES.map((status) => ({ status, code: undefined, type: undefined })),
];

/** All hints of an origin. */
function hintsOf(origin: Origin): string[] {
	const { groups } = ORIGINS[origin];
	const pays = groups.includes('text');
	// §7.2: only a text can be too large for a model.
	const errorInfo = ERROR_INFOS.filter(({ code }) => pays || code !== 'content_too_large');
	return [
		...groups.flatMap((group) => errorInfo.map((info) => errorText({ ...info, group, origin }))),
		...PROBLEMS.flatMap((problem) => [
			connectionText(problem, { charged: pays, origin }),
			connectionText(problem, { charged: false, origin }),
			connectionText(problem, { charged: false, file: true, origin }),
		]),
	].map(({ description }) => description);
}

const named = (texts: string[]) => [
	...new Set(texts.flatMap((text) => [...text.matchAll(/'([^']+)'/g)].map(([, name = '']) => name))),
];

const isOrigin = (name: string): name is Origin => name in ORIGINS;

it.each(Object.keys(ORIGINS).filter(isOrigin))('%s: hints name only options that exist', (origin) => {
	const { nodes } = ORIGINS[origin];
	const labels = fields
		.filter(({ node }) => nodes.includes(node.name))
		.map(({ property }) => property.displayName);
	const known = [...labels, ...(origin === 'chatModel' ? [OF_AGENTS] : [])];
	expect(named(hintsOf(origin)).filter((name) => !known.includes(name))).toStrictEqual([]);
});

it('hints for an action node name all options of requests; those for the chat model name the options that it has', () => {
	expect(named(hintsOf('action'))).toStrictEqual(
		expect.arrayContaining(['Concurrency', 'Rate Limit Wait (Minutes)', 'Timeout (Seconds)', 'Max Tokens']),
	);
	expect(named(hintsOf('chatModel'))).toStrictEqual(
		expect.arrayContaining(['Batch Size', 'Rate Limit Wait (Minutes)', 'Timeout (Seconds)', 'Max Tokens']),
	);
});

it('the hint after a text call without a response names the option that helps', () => {
	const { description } = connectionText('timeout', { charged: true });
	expect(description).toMatch(/option 'Stream'.*15 minutes/);
	const { description: ofAgents } = connectionText('timeout', { charged: true, origin: 'chatModel' });
	expect(ofAgents).toMatch(/streams.*15 minutes/);
});

it('an error text has nothing but a message and a hint', () => {
	const text = errorText({ group: 'text', status: 429 });
	expect(Object.keys(text).sort()).toStrictEqual(['description', 'message']);
	expect(Object.keys(connectionText('timeout', { charged: false })).sort()).toStrictEqual([
		'description',
		'message',
	]);
});

describe('a request that exceeds the time limit of the gateway', () => {
	const codes = [undefined, 'gateway_timeout'];
	const hintsFor = (group: EndpointGroup) =>
		codes.map((code) => errorText({ group, status: 504, code }).description);

	it.each<EndpointGroup>(['text', 'messages'])('%s: the hint is about the model’s response', (group) => {
		for (const hint of hintsFor(group)) expect(hint).toContain("'Max Tokens'");
	});

	it.each<EndpointGroup>(['text', 'messages'])('%s: the hint names the option that helps', (group) => {
		for (const hint of hintsFor(group)) expect(hint).toMatch(/may have been charged.*'Stream'.*15 minutes/);
		const { description } = errorText({ group, status: 504, origin: 'chatModel' });
		expect(description).not.toContain("'Stream'");
		expect(description).toMatch(/may have been charged.*streams.*15 minutes/);
	});

	it('messages: the hint is the same for the type of any gateway error', () => {
		const text = errorText({ group: 'messages', status: 504, type: 'api_error' });
		expect(text).toStrictEqual(errorText({ group: 'text', status: 504, code: 'gateway_timeout' }));
	});

	it.each<EndpointGroup>(['media', 'storage', 'balance', 'catalogue', 'file'])(
		'%s: the hint does not mention a model’s response',
		(group) => {
			for (const hint of hintsFor(group))
				expect(hint).not.toMatch(/'Max Tokens'|shorter response|input|charged/);
		},
	);
});
