import type { ServerResponse } from 'node:http';

import { envelope } from '../../helpers/media';
import { API_KEY, useSocketGateway } from '../../helpers/socketGateway';
import { eventually } from '../../helpers/time';
import { sendCallback, type CallbackOptions } from './support';

// Many callbacks at a time, against a gateway that responds when it is told to.

const gateway = useSocketGateway();

/** Responses that wait, and the states of the account's tasks. */
let waiting: Array<() => void>;
let isOpen: boolean;
let most: number;

beforeEach(() => {
	waiting = [];
	isOpen = false;
	most = 0;
	gateway.onRequest(({ url = '' }, response) => {
		waiting.push(() => answer(url.split('/').at(-1) ?? '', response));
		most = Math.max(most, waiting.length);
		if (isOpen) release();
	});
});

// On a busy machine, checks go on after a 503: they end in their order, this one last.
afterEach(async () => {
	release();
	while ((await send('forged-last')).status !== 404);
}, 60_000);

/** Ends the responses that wait, and those of later requests at once. */
function release(): void {
	isOpen = true;
	for (const end of waiting.splice(0)) end();
}

function answer(taskId: string, response: ServerResponse): void {
	const isKnown = taskId.startsWith('genuine');
	response.statusCode = isKnown ? 200 : 404;
	response.end(JSON.stringify(isKnown ? envelope({ taskId, state: 'success' }) : envelope(null, 404)));
}

async function send(taskId: string, options: CallbackOptions = {}) {
	const credential = { baseUrl: `${gateway.origin()}/api/v1`, apiKey: API_KEY };
	return await sendCallback({ downloadResults: false }, { body: { taskId } }, { credential, ...options });
}

const forged = (amount: number) =>
	Array.from({ length: amount }, async (_, index) => await send(`forged-${index}`));
const statusesOf = async (calls: Array<ReturnType<typeof send>>) =>
	(await Promise.all(calls)).map(({ status }) => status);

it('handles 300 calls at a time; others are to be repeated, which the log says once', async () => {
	const calls = forged(300);
	await eventually(() => waiting.length === 16);
	const rejected = await Promise.all([send('genuine-1'), send('genuine-2')]);
	expect(rejected).toMatchObject([
		{ status: 429, retryAfter: '10', item: undefined, warnings: 1 },
		{ status: 429, retryAfter: '10', item: undefined },
	]);
	release();
	expect(new Set(await statusesOf(calls))).toStrictEqual(new Set([404]));
	expect((await send('genuine-1')).item?.json.taskId).toBe('genuine-1');
});

it('a genuine callback starts the workflow right after a flood', async () => {
	release();
	for (let wave = 0; wave < 2; wave += 1) await statusesOf(forged(500));
	const begin = Date.now();
	expect((await send('genuine-3')).item?.json.taskId).toBe('genuine-3');
	expect(Date.now() - begin).toBeLessThan(5_000);
});
