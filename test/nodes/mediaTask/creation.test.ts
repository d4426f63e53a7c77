import { WebhookContext } from 'n8n-core';
import type { Logger } from 'n8n-workflow';
import nock from 'nock';

import { readCallbackUrl, unreachable } from '../../../nodes/MediaTask/operations/task/callbackUrl';
import {
	catalogue,
	creations,
	envelope,
	gateway,
	model,
	painter,
	run,
	serve,
	TASKS,
} from '../../helpers/media';
import { filled, useGateway } from '../../contract/support';
import { useNock } from '../../helpers/nock';
import { eventually } from '../../helpers/time';
import { CONTINUE, locator } from '../../helpers/values';

describe('create', () => {
	const gateway = useGateway();
	const path = '/storage/upload';
	const files = [{ binaryPropertyName: 'data', inputField: 'image_urls' }];
	const parameters = { ...filled('aurora/retouch-1', { prompt: 'a' }), inputFiles: { files } };
	const items = ['aGk=', 'aG8='].map((data) => ({
		json: {},
		binary: { data: { data, mimeType: 'image/png' } },
	}));

	it.each([
		['an upload', path, []],
		['a creation', '/async/media/tasks', [[expect.stringMatching(/items 0, 1 .*may have been charged/)]]],
	])('a node that is cancelled during %s logs what it may have paid for', async (_, held, logged) => {
		const logger = Reflect.get(WebhookContext.prototype, 'logger', {}) as Logger;
		const warn = jest.spyOn(logger, 'warn').mockReturnValue();
		const { release } = gateway.control.hold({ path: held });
		const begun = () => gateway.control.requests({ path: held }).length === items.length;
		const onStart = (cancel: () => void) => void eventually(begun).then(cancel);
		await gateway.media('create', parameters, { items, onStart });
		release();
		const warnings = [...warn.mock.calls];
		warn.mockRestore();
		expect(warnings).toStrictEqual(logged);
	});

	it('when another item fails, the request of an item whose file is being uploaded is not sent', async () => {
		const uploads = () => gateway.control.requests({ path });
		gateway.control.addFault({
			match: { path, nth: 2 },
			action: { kind: 'error', code: 'insufficient_quota' },
		});
		const first = gateway.control.hold({ path, which: ({ id }) => id === uploads()[0]?.id });
		void eventually(() => uploads()[1]?.status === 402).then(first.release);
		const { error } = await gateway.media('create', parameters, { items });
		const description = expect.stringMatching(/Insufficient funds”. This call was not charged\.$/) as string;
		expect(error).toMatchObject({ httpCode: '402', description });
		expect(uploads().map(({ status }) => status)).toStrictEqual([200, 402]);
		expect(gateway.control.tasks()).toStrictEqual([]);
	});

	it('all tasks are created before the node waits for the first', async () => {
		const items = Array.from({ length: 5 }, (_, n) => ({ json: { n } }));
		await gateway.draw({ options: { concurrency: 1 }, downloadResults: false }, { items });
		const requests = gateway.control.requests().filter(({ path }) => path.includes('/media/tasks'));
		expect(requests.map(({ method }) => method).join(' ')).toMatch(/^(POST ?){5}(GET ?){5}$/);
	});
});

const GATEWAY = 'https://gateway.test/api/v1';

/** Hosts that a gateway on the internet can reach; some look local: numbers next to those of private networks or elsewhere, and names like theirs. */
const PUBLIC_HOSTS = `
	n8n.example.com example.com. N8N.Example.com 8.8.8.8:5678 [2001:db8::1] [2001:db8::fe80:1]
	9.255.255.255 11.0.0.0 126.0.0.1 128.0.0.1 192.167.0.1 192.169.0.1 172.15.255.255 172.32.0.1
	100.63.255.255 100.128.0.1 100.200.0.1 210.1.2.3
	8.127.10.1 1.192.168.1 1.172.16.1 2.100.64.1 [::fffe:127.0.0.1] [1::ffff:127.0.0.1]
	10.example.com 10.5.example.com 192.168.1.example.com 172.16.0.example.com
	100.64.0.example.com localhost.example.com local.example.com n8n.mylocal n8n.mylan
	home.arpa.example.com n8n.homexarpa
`
	.trim()
	.split(/\s+/);

const LOCAL_HOSTS = `
	localhost:5678 LOCALHOST. n8n n8n:5678 n8n.localhost n8n.local n8n.internal n8n.lan
	n8n.home.arpa 0.0.0.0 10.1.2.3 127.0.0.1 127.9.9.9 2130706433 0x7f.1 192.168.1.1
	172.16.0.1 172.19.0.1 172.20.0.1 172.29.9.9 172.30.0.1 172.31.255.1 100.64.0.1
	100.69.0.1 100.70.0.1 100.99.9.9 100.100.0.1 100.119.0.1 100.120.0.1 100.127.0.1 [::1]
`
	.trim()
	.split(/\s+/);

describe('the callback URL', () => {
	it.each(PUBLIC_HOSTS)('at %s can be reached from the internet', (host) => {
		expect(unreachable(`http://${host}/webhook/a`, GATEWAY)).toBeUndefined();
	});

	it.each(LOCAL_HOSTS)('at %s cannot be reached from the internet, and may be sent', (host) => {
		const url = `https://${host}/x`;
		expect(unreachable(url, GATEWAY)).toMatch(/^".+" is an address of a local network$/);
		expect(readCallbackUrl(url)).toBe(url);
	});

	it.each([
		['n8n/hook', 'no web address'],
		['ftp://n8n.example.com/x', 'no web address'],
		['x:https://n8n.example.com/x', 'no web address'],
		['https://', 'no web address'],
		['https:// n8n.example.com/x', 'no web address'],
		['http://a b/', 'no web address'],
		['http://[n8n]/', 'no web address'],
	])('%s is rejected: %s', (url, words) => {
		const message = expect.stringContaining(words) as string;
		const error = expect.objectContaining({ message, param: 'callbackUrl' }) as Error;
		expect(() => readCallbackUrl(url)).toThrow(error);
	});

	it.each([' https://n8n.example.com/x ', 'HTTPS://n8n.example.com/x', 'http://n8n.example.com/x'])(
		'%j is sent without the space around it',
		(url) => {
			expect(readCallbackUrl(url)).toBe(url.trim());
		},
	);

	it.each(['http://127.0.0.1:4010/api/v1', 'http://gateway/api/v1', 'https://gateway.lan/api/v1'])(
		'can be reached from a local gateway: %s',
		(gateway) => {
			expect(unreachable('http://localhost:5678/x', gateway)).toBeUndefined();
			expect(unreachable('https://n8n.example.com/x', gateway)).toBeUndefined();
		},
	);

	it.each([undefined, '', '  '])('may be empty: %j', (url) => {
		expect(readCallbackUrl(url)).toBeUndefined();
	});
});

describe('price', () => {
	useNock();
	const SCHEMA = {
		properties: {
			prompt: { type: 'string' },
			quality: { enum: ['draft', 'high'], default: 'draft' },
			n: { type: 'integer' },
			image: { type: 'string' },
		},
		required: ['prompt'],
	};
	const priced = painter(SCHEMA, {
		pricing: {
			currency: 'RUB',
			type: 'tiered',
			tiers: [
				{ params: { quality: 'draft' }, price: '2.10' },
				{ params: { quality: 'high' }, price: '12.00' },
			],
		},
	});
	const json = (input: object) => ({ model, inputMode: 'json', inputJson: JSON.stringify(input) });
	const withFile = {
		items: [{ json: {}, binary: { data: { data: 'aGk=', mimeType: 'image/png' } } }],
	};
	const inputFiles = { files: [{ binaryPropertyName: 'data', inputField: 'image' }] };

	it('a dry run uploads no file', async () => {
		catalogue([priced]);
		const { items } = await run('create', { ...json({}), inputFiles, options: { dryRun: true } }, withFile);
		expect(items[0]?.json.request).toMatchObject({
			input: { image: expect.stringMatching(/^image\/png;sha256=[0-9a-f]{64}$/) as string },
		});
	});

	const pricing = { currency: 'RUB', tiers: [{ params: {}, price: '0.50' }] };
	/** §2.2: another type than tiers. */
	const perSecond = painter(SCHEMA, { pricing: { ...pricing, type: 'per_second' } });
	const UNKNOWN = { message: expect.stringContaining('The price of the task is unknown') as string };
	const NO_PRICE = { ...UNKNOWN, description: expect.stringContaining('no price per task') as string };
	const HIGH = "The task would cost ₽12, more than 'Max Price (₽)' of ₽11.99";
	const param = 'maxPriceRub';
	const NO_MODEL = { message: 'The gateway has no media model "acme/painter"' };
	const REFUSED = { httpCode: '403' };
	const high = { quality: 'high' };
	const divine = { quality: 'divine' };

	it.each<[string, object[] | undefined, object, object, object]>([
		['the price is above the limit', [priced], high, { maxPriceRub: 11.99 }, { message: HIGH, param }],
		['only free tasks are allowed', [priced], {}, { maxPriceRub: 0 }, { param }],
		[
			'a price is unknown',
			[priced],
			divine,
			{ maxPriceRub: 9 },
			{ ...UNKNOWN, param, code: 'invalid_input' },
		],
		['a price is one of a second', [perSecond], {}, { maxPriceRub: 100 }, { ...NO_PRICE, param }],
		['a cost is one of a second', [perSecond], {}, { maxCostRub: 9 }, { ...NO_PRICE, param: 'maxCostRub' }],
		[
			'only its price is below its limit',
			[priced],
			{},
			{ maxPriceRub: 9, maxCostRub: 2 },
			{ param: 'maxCostRub' },
		],
		['a limit has no catalogue', undefined, {}, { maxPriceRub: 100 }, REFUSED],
		['a dry run has no catalogue', undefined, {}, { dryRun: true }, REFUSED],
		['a dry run is for an unknown model', [], {}, { dryRun: true }, NO_MODEL],
	])('nothing is created, and no file uploaded, when %s', async (_, models, input, options, expected) => {
		if (models) catalogue(models);
		else gateway().get('/api/v1/media/models').reply(403, '');
		const sent = creations();
		const uploads = nock('https://gateway.test').post('/api/v1/storage/upload').reply(200, {});
		const parameters = { ...json(input), inputFiles, options };
		const { items } = await run('create', parameters, { ...withFile, settings: CONTINUE });
		expect(items[0]?.json.error).toMatchObject(expected);
		expect([sent, uploads.isDone()]).toStrictEqual([[], false]);
	});

	it('a price at the limit is allowed, compared as decimals; a free task at a limit of 0', async () => {
		const sent = serve(priced);
		const { items } = await run('create', { ...json({}), options: { maxPriceRub: '={{ "2.1" }}' } });
		expect(items[0]?.json).toStrictEqual({ taskId: 't1', model: 'acme/painter', priceRub: 2.1 });
		nock.cleanAll();
		const tiers = [{ params: {}, price: '0.00' }];
		const free = serve(painter(SCHEMA, { pricing: { ...pricing, type: 'tiered', tiers } }));
		await run('create', { ...json({}), options: { maxPriceRub: 0 } });
		expect([sent.length, free.length]).toStrictEqual([1, 1]);
	});

	it('a task has no price in the output when the catalogue cannot be read, and is created', async () => {
		gateway().get('/api/v1/media/models').reply(403, '');
		creations();
		const { items } = await run('create', json({}));
		expect(items[0]?.json).toStrictEqual({ taskId: 't1', model: 'acme/painter' });
	});
});

describe('tries', () => {
	// One order is one task, whatever the tries of Retry On Fail read: test/model.

	useNock();
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const random = { model, inputMode: 'json', inputJson: '={{ { prompt: String(Math.random()) } }}' };

	it('a task of an earlier try is named when the next try cannot begin', async () => {
		const sent = serve();
		gateway()
			.get(/\/tasks\/t1$/)
			.reply(403, envelope(null, 403));
		const variables = {
			get concurrency() {
				return sent.length === 0 ? '2' : 'many';
			},
		};
		const { error } = await run(
			'createAndWait',
			{ ...random, options: { concurrency: '={{ $vars.concurrency }}' } },
			{ settings: retrying, variables },
		);
		expect([sent.length, error?.message]).toStrictEqual([1, expect.stringContaining("'Concurrency'")]);
		expect(error?.description).toContain('Task t1 is paid for');
	});
});

describe('node', () => {
	useNock();
	beforeEach(() => void catalogue([]));

	const taskRequest = { model, inputMode: 'json', inputJson: '{"prompt": "2024", "n": 2}' };

	it('task: create explains invalid input to an agent’s model, which can correct it', async () => {
		gateway().post(TASKS).reply(422, { code: 422, msg: 'input.n must be <= 4', data: null });
		const { items } = await run('create', taskRequest, { asTool: true });
		expect(items[0]?.json.error).toContain('input.n must be ≤ 4');
	});

	it('task: create and get return the gateway’s responses without Simplify', async () => {
		creations();
		const task = envelope({ taskId: 't1', state: 'waiting' });
		gateway().get(`${TASKS}/t1`).reply(200, task);
		const raw = async (operation: string, parameters: object) =>
			(await run(operation, { simplify: false, ...parameters })).items.map(({ json }) => json);
		expect(await raw('create', taskRequest)).toStrictEqual([envelope({ taskId: 't1' })]);
		expect(await raw('get', { taskId: 't1' })).toStrictEqual([task]);
	});

	it.each([
		['a resource locator', locator('t1')],
		['a number', '={{ 7 }}'],
	])('task: get accepts %s as an ID', async (_, taskId) => {
		nock('https://gateway.test')
			.get(/tasks\/(t1|7)$/)
			.reply(200, envelope({ state: 'waiting' }));
		const { items } = await run('get', { taskId });
		expect(items[0]?.json.state).toBe('waiting');
	});
});
