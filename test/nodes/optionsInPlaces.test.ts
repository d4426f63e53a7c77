import { HumanMessage } from '@langchain/core/messages';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { useGateway } from '../contract/support';
import type { RunOptions } from '../helpers/engine';
import { form } from '../helpers/media';
import { collected, nodesByName } from '../helpers/panel';
import { eventually } from '../helpers/time';
import { CONTINUE, FORMATS, locator } from '../helpers/values';

// What an option does, in each place that shows it: an operation, or the chat model with an API format.

const gateway = useGateway();

const TEXT = { model: locator('sandbox/balanced-2'), prompt: 'Hello' };
const LINK = { source: 'url', url: 'https://files.test/a.png' };
const DRAFT = { quality: 'draft', size: '512x512' };
const TASK_ID = '9b2d7c1e-0000-4000-8000-000000000001';

const media = (model: string, input: object) => ({
	model: locator(model),
	prompt: 'A cat',
	input: form(input),
});
const json = (input: object) => ({
	model: locator('aurora/canvas-1'),
	inputMode: 'json',
	inputJson: JSON.stringify(input),
});
const task = { taskId: TASK_ID };
const file = { fileId: 'f1' };

/** The parameters without options of a call, by node and operation. */
const PLACES: Record<string, object> = {
	...Object.fromEntries(
		FORMATS.map((format) => [`textGeneration text/generate ${format}`, { ...TEXT, format }]),
	),
	'textGeneration image/analyze': { ...TEXT, ...LINK },
	'textGeneration video/analyze': { ...TEXT, ...LINK, url: 'https://files.test/a.mp4' },
	'textGeneration document/read': { ...TEXT, source: 'url', url: 'data:application/pdf;base64,JVBERi0=' },
	'textGeneration audio/transcribe': { ...TEXT, source: 'url', url: 'data:audio/mpeg;base64,SUQzBAA=' },
	'textGeneration model/getMany': {},
	'textGeneration model/get': { model: locator('sandbox/balanced-2') },
	'mediaTask image/generate': media('aurora/canvas-1', DRAFT),
	'mediaTask image/edit': media('aurora/retouch-1', { image_urls: '["https://files.test/a.png"]' }),
	'mediaTask video/generate': media('lumen/motion-2', { duration: 5, resolution: '480p' }),
	'mediaTask music/generate': media('harmonia/song-3', {}),
	'mediaTask speech/generate': media('voxa/speech-1', { voice: 'alto' }),
	'mediaTask task/create': json({ prompt: 'A cat', ...DRAFT }),
	'mediaTask task/createAndWait': json({ prompt: 'A cat', ...DRAFT }),
	'mediaTask task/wait': task,
	'mediaTask task/get': task,
	'mediaTask task/getMany': {},
	'mediaTask task/download': task,
	'mediaTask task/archive': task,
	'mediaTask task/unarchive': task,
	'mediaTask task/delete': task,
	'mediaTask task/restore': task,
	'mediaTask task/getLyrics': { ...task, audioId: 'a1' },
	'mediaTask model/getMany': {},
	'mediaTask session/create': {},
	'storage file/upload': { uploadSource: 'base64', base64: 'QUJD', mimeType: 'image/png' },
	'storage file/get': file,
	'storage file/getMany': {},
	'storage file/download': file,
	'storage file/delete': file,
	'balance balance/get': {},
	...Object.fromEntries(FORMATS.map((format) => [`chatModel ${format}`, { format }])),
};

interface Place {
	name: string;
	node: string;
	resource: string | undefined;
	operation: string | undefined;
	options: string[];
}

const TRIGGERS = /Trigger$/;

/** The places that the panels show, with their options. */
const places: Place[] = Object.entries(nodesByName)
	.filter(([node]) => !TRIGGERS.test(node))
	.flatMap(([node, { description }]) =>
		description.properties
			.filter(({ name, type }) => name === 'options' && type === 'collection')
			.flatMap((property) => {
				const shownFor = (name: string) => property.displayOptions?.show?.[name]?.map(String)[0];
				const [of, does] = [shownFor('resource'), shownFor('operation')];
				const base = of && does ? `${node} ${of}/${does}` : node;
				const formats = base in PLACES ? [undefined] : FORMATS;
				return formats.map((format) => ({
					name: format ? `${base} ${format}` : base,
					node,
					resource: of,
					operation: does,
					options: collected(property)
						.filter((option) => {
							const shown = option.displayOptions?.show?.['/format'];
							return !shown || !format || shown.includes(format);
						})
						.map(({ name }) => name),
				}));
			}),
	);

/** Does the call of a place, for some items. Returns its items, and the texts of errors. */
async function call(place: Place, given: INodeParameters, count = 1) {
	const parameters = { ...PLACES[place.name], options: given };
	const { resource, operation } = place;
	if (place.node === 'chatModel') {
		const { lc } = await gateway.chatModel({ parameters });
		const calls = Array.from({ length: count }, async () => await lc.invoke([new HumanMessage('Hello')]));
		const outcomes = await Promise.allSettled(calls);
		const failed = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
		return { items: [] as INodeExecutionData[], errors: failed.join('\n') };
	}
	const items = Array.from({ length: count }, () => ({ json: {} }));
	const node = place.node as RunOptions['node'];
	const result = await gateway.run({
		node,
		parameters: { resource, operation, ...parameters },
		items,
		settings: CONTINUE,
	});
	const errors = result.items.flatMap(({ json: { error } }) => (error ? [JSON.stringify(error)] : []));
	return { items: result.items, errors: errors.join('\n') };
}

const requests = () => gateway.control.requests({ host: 'api' });
const ofCalls = () => requests().filter(({ group }) => group !== 'catalogue' && group !== 'balance');
const always = { match: {}, times: 0 };

/** Where nothing else is asked for, a catalogue or the balance. */
const asked = () => (ofCalls().length > 0 ? ofCalls() : requests());

const isWaiting = ({ operation }: Place) => operation === 'wait';

/** What each option does: what is seen, and what is right. */
const ROWS: Record<string, { see: (place: Place) => Promise<unknown>; right: (place: Place) => unknown }> = {
	/** The seconds after which a request without a response ends. */
	timeout: {
		see: async (place) => {
			gateway.control.addFault({ ...always, action: { kind: 'hang' } });
			await call(place, { timeout: 2, maxRetries: 0, ...(isWaiting(place) ? { maxWait: 0.1 } : {}) });
			await eventually(() => asked()[0]?.outcome === 'aborted');
			const [first] = asked();
			return Math.round(((first?.endedAt ?? NaN) - (first?.startedAt ?? NaN)) / 1_000);
		},
		right: () => 2,
	},
	/** How many requests are sent while the gateway fails, with 0 and with 2. */
	maxRetries: {
		see: async (place) => {
			gateway.control.addFault({ ...always, action: { kind: 'error', code: 'service_unavailable' } });
			const counts: number[] = [];
			for (const maxRetries of [0, 2]) {
				const before = asked().length;
				await call(place, { maxRetries });
				counts.push(asked().length - before);
			}
			return counts;
		},
		right: () => [1, 3],
	},
	/** The half minutes for which a call waits above the limit of the account, and whether its error says why. */
	rateLimitWait: {
		see: async (place) => {
			const begin = Date.now();
			gateway.control.addFault({ ...always, action: { kind: 'error', code: 'rate_limit_exceeded' } });
			const { errors } = await call(place, { rateLimitWait: 0.5 });
			return [Math.round((Date.now() - begin) / 30_000), errors.includes('too many requests')];
		},
		right: () => [1, true],
	},
	/** How many requests are in flight at the same time. */
	concurrency: {
		see: async (place) => {
			const { requests: held, release } = gateway.control.hold({
				which: ({ group }) => group !== 'catalogue',
			});
			let most = 0;
			void eventually(() => held.length > 0).then(() => {
				most = held.length;
				release();
			});
			await call(place, { concurrency: 3, maxRetries: 0 }, 5);
			return most;
		},
		// Polls have slots of their own.
		right: (place) => (isWaiting(place) ? 5 : 3),
	},
};

/** Options with tests of their own: those of texts on the wire (`text/options`, `chatModel/requests`), and others. */
const ELSEWHERE = new Set(
	`audioAndImages builtIn cachePrompt context dryRun extraBody fallbackModels maxCostRub maxTokens providerRouting reasoning reasoningEffort sampling schemaStrict serviceTier stream temperature thinking toolChoice toolChoiceName verbosity webSearch idempotencyKey maxPriceRub maxWait binaryPropertyName callbackUrl passThrough sessionId externalUserId subtitleFormat threshold showToolMedia`.split(
		' ',
	),
);

it('each place has parameters', () => {
	expect(places.map(({ name }) => name).filter((name) => !(name in PLACES))).toStrictEqual([]);
});

it('each option has a row', () => {
	const all = new Set(places.flatMap(({ options }) => options));
	expect([...all].filter((name) => !(name in ROWS) && !ELSEWHERE.has(name))).toStrictEqual([]);
	expect([...ELSEWHERE].filter((name) => !all.has(name))).toStrictEqual([]);
});

/** A poll that fails is repeated until *Max Wait*, whatever these say. */
const OF_MAX_WAIT = ['maxRetries', 'rateLimitWait'];

const cells = places.flatMap((place) =>
	place.options
		.filter((name) => name in ROWS && !(isWaiting(place) && OF_MAX_WAIT.includes(name)))
		.map((option) => ({ option, name: place.name, place })),
);

test.each(cells)('$option: $name', async ({ option, place }) => {
	const row = ROWS[option];
	expect(await row?.see(place)).toStrictEqual(row?.right(place));
});
