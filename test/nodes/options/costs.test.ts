import { HumanMessage } from '@langchain/core/messages';

import { FORMATS, locator } from '../../helpers/values';
import { call, gateway, ofCalls, places, tools, type Place } from './places';

// What the table of options does not have: costs of several results, and the media types of models.

const MODELS = ['sandbox/thinker-3', 'sandbox/balanced-2', 'sandbox/grand-4'];
const LENGTHS = [40, 700, 90];
const ofItem = (values: unknown[]) => `={{ ${JSON.stringify(values)}[$json.n] }}`;

/** A model for each item, the last of which has a fallback. */
const parameters = {
	model: locator(ofItem(MODELS)),
	prompt: ofItem(LENGTHS.map((tokens) => `[[long:${tokens}]]`)),
};
const options = { fallbackModels: ['sandbox/swift-1'], maxRetries: 0 };
const breakLast = () => {
	const action = { kind: 'error', code: 'no_providers' } as const;
	gateway.control.addFault({ match: { model: 'sandbox/grand-4' }, action, times: 0 });
};
/** What was charged, and whether the response says so. */
const charged = (format: string) =>
	gateway.control.ledger().map(({ amount }) => {
		return { costRub: Number(amount), ...(format === 'messages' ? { costIsComputed: true } : {}) };
	});

/** Operations, also as tools, with a title. */
const operations = (fits: (place: Place) => boolean) =>
	[...places, ...tools]
		.filter(fits)
		.map((place) => ({ title: `${place.name}${place.asTool ? ', as a tool' : ''}`, place }));

const texts = operations(({ node, resource }) => node === 'textGeneration' && resource === 'text');

test.each(texts)('$title: each item has its own cost', async ({ place }) => {
	breakLast();
	const { items } = await call(place, options, { values: LENGTHS, parameters });
	const costs = items.map(({ json: { costRub, costIsComputed } }) => {
		return { costRub, ...(costIsComputed === undefined ? {} : { costIsComputed }) };
	});
	expect(costs).toStrictEqual(charged(place.format));
	expect(new Set(costs.map(({ costRub }) => costRub)).size).toBe(3);
});

test.each(FORMATS)('chat model, %s: each call has its own cost', async (format) => {
	breakLast();
	const shown: object[] = [];
	for (const [n, model] of MODELS.entries()) {
		const { lc, logged } = await gateway.chatModel({
			parameters: { format, model: locator(model), options },
		});
		await lc.invoke([new HumanMessage(`[[long:${LENGTHS[n]}]]`)]);
		const [, rub, computed] =
			/"costRub":([\d.]+)(,"costIsComputed":true)?/.exec(JSON.stringify(logged())) ?? [];
		shown.push({ costRub: Number(rub), ...(computed ? { costIsComputed: true } : {}) });
	}
	expect(shown).toStrictEqual(charged(format));
});

const media = operations(
	({ node, resource, options: own }) => node === 'mediaTask' && resource !== 'task' && own.includes('dryRun'),
);

const MODEL_OF: Record<string, string> = {
	Image: 'aurora/canvas-1',
	Video: 'lumen/motion-2',
	Music: 'harmonia/song-3',
	Speech: 'voxa/speech-1',
};

test.each(media)('$title: a model of another media type is refused, also in a dry run', async ({ place }) => {
	for (const [type, model] of Object.entries(MODEL_OF)) {
		if (type.toLowerCase() === place.resource) continue;
		for (const given of [{ dryRun: true }, {}]) {
			const { errors } = await call(place, given, { parameters: { model: locator(model) } });
			expect(errors).toContain(`The media type of the model \\"${model}\\" is ${type}, not`);
			expect(errors).toContain(`Use it with '${type}: Generate'`);
		}
	}
	expect([ofCalls().length, gateway.charges()]).toStrictEqual([0, 0]);
});
