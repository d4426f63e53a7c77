import { mediaModelRecord, mediaModels } from '../../../sandbox/gateway/catalogue/mediaModels';
import { respondJson } from '../../stories/support';
import { bodies, call, EACH, gateway, MODEL, ofCalls, places, type Place, type Row } from './places';

// Options about money: what is sent and charged with them.

/** What a call can cost at most, in rubles, as a dry run says. That of a chat model is a text of the same format. */
async function most(place: Place): Promise<number> {
	const text = places.find(({ node, format }) => node === 'textGeneration' && format === place.format);
	const { items } = await call(place.node === 'chatModel' && text ? text : place, {
		dryRun: true,
		maxCostRub: 0,
	});
	const [{ json: { priceRub, maxCostRub } = {} } = {}] = items;
	return Number(priceRub ?? maxCostRub);
}

/** How many requests are sent, how many of them are charged, and whether errors name the limit. */
async function sentWith(place: Place, options: object, name: string) {
	const [sent, charges] = [ofCalls().length, gateway.charges()];
	const { errors } = await call(place, { ...options });
	const isNamed = errors.includes(`'${name}'`);
	return [ofCalls().length > sent, gateway.charges() - charges, errors === '' ? 'no error' : isNamed];
}

/** A request as text. In a dry run, a file has a placeholder. */
const readable = (request: unknown) =>
	JSON.stringify(request).replace(/file-[\da-f-]{36}|SUQzBAA=|JVBERi0=/, 'FILE');

const SENT = [true, 1, 'no error'];
const REFUSED = [false, 0, true];

export const costRows: Record<string, Row> = {
	/** A call that costs a kopeck more than the limit, and one that costs as much. */
	maxCostRub: {
		see: async (place) => {
			const rub = await most(place);
			const limits = [rub - 0.01, rub];
			const seen: unknown[] = [];
			for (const maxCostRub of limits)
				seen.push(await sentWith(place, { maxCostRub }, 'Max Cost per Execution (₽)'));
			return seen;
		},
		right: () => [REFUSED, SENT],
	},

	/** The same, and one whose price is not known. */
	maxPriceRub: {
		see: async (place) => {
			const rub = await most(place);
			const seen: unknown[] = [];
			for (const maxPriceRub of [rub - 0.01, rub])
				seen.push(await sentWith(place, { maxPriceRub }, 'Max Price (₽)'));
			const pricing = { currency: 'RUB', type: 'per_second' };
			const data = mediaModels.map((model) => ({ ...mediaModelRecord(model, true), pricing }));
			gateway.control.addFault({
				match: { path: '*/media/models' },
				action: respondJson({ object: 'list', data }),
				times: 0,
			});
			return [...seen, await sentWith(place, { maxPriceRub: 1_000 }, 'Max Price (₽)')];
		},
		right: () => [REFUSED, SENT, REFUSED],
	},

	/** What is sent and charged; and whether the output is the request and the price of the same call without the option. */
	dryRun: {
		see: async (place) => {
			const dry = await call(place, { dryRun: true });
			const nothing = [ofCalls().length, gateway.charges(), dry.errors];
			const [{ json: { dryRun, model, request, priceRub } = {} } = {}] = dry.items;
			const { errors } = await call(place, { dryRun: false });
			const [sent] = bodies();
			const [{ amount } = {}] = gateway.control.ledger();
			const price = place.node === 'mediaTask' ? [priceRub === Number(amount)] : [];
			expect(readable(request)).toBe(readable(sent));
			return [...nothing, errors, dryRun, model === sent?.model, ...price];
		},
		right: ({ node }) => [0, 0, '', '', true, true, ...(node === 'mediaTask' ? [true] : [])],
	},

	/** The models that are asked for two items, and what the outputs say of it. */
	fallbackModels: {
		see: async (place) => {
			const action = { kind: 'error', code: 'no_providers' } as const;
			for (const model of [MODEL, 'sandbox/grand-4'])
				gateway.control.addFault({ match: { model }, action, times: 0 });
			const values = [['sandbox/swift-1'], ['sandbox/grand-4', 'sandbox/thinker-3']];
			const { items, errors } = await call(place, { fallbackModels: EACH, maxRetries: 0 }, { values });
			expect(errors).toBe('');
			const outputs = items.map(({ json }) => [json.fallbackFrom, json.model]);
			return [bodies().map(({ model }) => model), place.node === 'chatModel' ? [] : outputs];
		},
		right: ({ node, asTool }) => {
			const [first, second] = ['sandbox/swift-1', 'sandbox/thinker-3'].map((one) =>
				asTool ? undefined : one,
			);
			const outputs = [
				[[MODEL], first],
				[[MODEL, 'sandbox/grand-4'], second],
			];
			const asked = [MODEL, 'sandbox/swift-1', MODEL, 'sandbox/grand-4', 'sandbox/thinker-3'];
			return [asked, node === 'chatModel' ? [] : outputs];
		},
	},

	/** The keys of two items. */
	idempotencyKey: {
		see: async (place) => {
			await call(place, { idempotencyKey: EACH }, { values: ['order-7', 'Order 8/b'] });
			const created = ofCalls().filter(({ group }) => group === 'mediaCreate');
			return [created.map(({ headers }) => headers['idempotency-key']), gateway.charges()];
		},
		right: () => [['order-7', 'Order 8/b'], 2],
	},
};
