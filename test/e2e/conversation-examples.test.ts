import { renderMelody } from '../../sandbox/gateway/media/render/wav';
import { sumOfCosts } from '../../nodes/shared/gateway/util/money';
import { checkPng } from '../../sandbox/demo/png';
import type { RunResult } from '../../sandbox/n8n/executions';
import type { StoredWorkflow, WorkflowJson } from '../../sandbox/n8n/types';
import { loadExample } from '../../sandbox/n8n/workflows';
import { useEnvironment, type Environment } from './support/environment';
import { eventually } from './support/eventually';
import { FormVisit, publishForm } from './support/forms';
import { call } from './support/mediaTrigger';

// Examples that talk with people, by forms and a chat, as a user imports and publishes them.

let environment: Environment;

useEnvironment((started) => (environment = started));
beforeEach(async () => {
	await environment.gateway.control.reset();
	environment.gateway.control.configure({ taskDuration: { image: 100 } });
});

const ledger = () => environment.gateway.control.ledger();
const spent = () => Number(sumOfCosts(...ledger().map(({ amount }) => amount))).toFixed(2);
/** The picture at the address that a page shows. */
async function pictureIn(page: string): Promise<{ width: number; height: number }> {
	const [, address = ''] = /<img src="([^"]+)"/.exec(page) ?? [];
	return await checkPng(Buffer.from(await (await fetch(address)).arrayBuffer()));
}

test('a voice message is answered with text', async () => {
	const recording = new File([renderMelody('Hello', 1)], 'message.wav', { type: 'audio/wav' });
	const form = await publishForm(environment, await loadExample('voice-reply'));
	const visit = await FormVisit.begin(form, recording);
	const page = await visit.read('You said: ');
	const said = 'Can you move my appointment from Tuesday to Thursday afternoon';
	expect(page.split(said)).toHaveLength(3);
	expect(ledger().map(({ model }) => model)).toStrictEqual(['polyglot/omni-audio', 'sandbox/balanced-2']);
});

describe('a post with a picture', () => {
	let form: string;
	beforeAll(async () => {
		form = await publishForm(environment, await loadExample('approved-post'));
	});
	const begin = async () => await FormVisit.begin(form, 'Red foxes in winter');

	test('its picture is created at the price that was shown, and the post is published', async () => {
		const visit = await begin();
		const price = await visit.read('The picture costs');
		expect(price).toContain('Red foxes in winter');
		expect(ledger().map(({ kind }) => kind)).toStrictEqual(['text']);
		await visit.submit('field-1', 'Yes');
		const post = await visit.read('Your post');
		expect(await pictureIn(post)).toStrictEqual({ width: 1024, height: 1024 });
		const [, picture, ...others] = ledger();
		expect(others).toStrictEqual([]);
		expect(price).toContain(`The picture costs ₽${Number(picture?.amount).toFixed(2)}`);
		await visit.submit('field-1', 'Yes');
		const published = await visit.read('Published');
		expect(await pictureIn(published)).toStrictEqual({ width: 1024, height: 1024 });
		expect(published).toContain(`Text and picture cost ₽${spent()}`);
	});

	test('without a *Yes*, no picture is created', async () => {
		const visit = await begin();
		await visit.read('The picture costs');
		await visit.submit('field-1', 'No');
		expect(await visit.read('No picture was created')).toContain(`The text cost ₽${spent()}`);
		expect(environment.gateway.control.tasks()).toStrictEqual([]);
		expect(ledger()).toHaveLength(1);
	});

	test('without a second *Yes*, nothing is published, and the picture is kept', async () => {
		const visit = await begin();
		await visit.read('The picture costs');
		await visit.submit('field-1', 'Yes');
		await visit.read('Your post');
		await visit.submit('field-1', 'No');
		expect(await pictureIn(await visit.read('Not published'))).toStrictEqual({ width: 1024, height: 1024 });
		expect(ledger()).toHaveLength(2);
	});
});

describe('a bot that answers now and delivers the video later', () => {
	let workflow: StoredWorkflow;
	let chatUrl: string;
	beforeAll(async () => {
		const chat = '"options":{"responseMode":"lastNode"}';
		const example = JSON.stringify(await loadExample('video-bot'));
		const open = JSON.parse(example.replace(chat, `"public":true,${chat}`)) as WorkflowJson;
		const trigger = open.nodes.find(({ name }) => name === 'Chat');
		if (trigger?.parameters['public'] !== true) throw new Error('The chat cannot be reached.');
		chatUrl = `${environment.client.url}/webhook/${String(trigger.webhookId)}/chat`;
		workflow = await environment.publish(open);
	});
	beforeEach(() => {
		environment.gateway.control.configure({ taskDuration: { video: 600_000 } });
	});

	/** Says something in a chat, and gives the answer. */
	async function say(sessionId: string, chatInput: string): Promise<string> {
		const response = await eventually(async () => {
			// The webhook is there a moment after the workflow has been published.
			const answer = await call(chatUrl, { action: 'sendMessage', sessionId, chatInput });
			expect(answer.status).not.toBe(404);
			return answer;
		}, 30_000);
		return ((await response.json()) as { output: string }).output;
	}

	/** What was delivered, once it is so much. */
	async function delivered(count: number): Promise<Array<Record<string, unknown>>> {
		const rows = (results: RunResult[]) =>
			results.flatMap(({ nodes }) => nodes['Deliver']?.items.map(({ json }) => json) ?? []);
		return await eventually(async () => {
			const found = rows(await environment.executionsOf(workflow, 0)).reverse();
			expect(found.length).toBeGreaterThanOrEqual(count);
			return found;
		}, 30_000);
	}

	const nothing = 'Tell me first what the video shows.';
	const price = 'This video costs ₽36.00. Say yes, and I make it.';
	const making = (wish: string) => `I am making it: ${wish}. You get it here when it is done.`;

	test('a video is made after a yes to its price, once, and belongs to its chat', async () => {
		const { control } = environment.gateway;
		expect(await say('anna', 'yes')).toBe(nothing);
		expect(await say('anna', 'A paper boat')).toBe(price);
		expect(await say('anna', 'A paper boat in the rain')).toBe(price);
		expect(await say('ben', 'yes')).toBe(nothing);
		expect(ledger()).toStrictEqual([]);
		const answers = await Promise.all([say('anna', 'Yes, please'), say('anna', 'yes')]);
		expect(answers).toContain(making('A paper boat in the rain'));
		expect(await say('anna', 'yes')).toBe(nothing);
		expect(ledger().map(({ amount }) => Number(amount))).toStrictEqual([36]);
		expect(await say('ben', 'A kite')).toBe(price);
		expect(await say('ben', 'yes')).toBe(making('A kite'));

		const [boat, kite, ...others] = control.tasks();
		expect(others).toStrictEqual([]);
		const [good = '', bad = ''] = [boat?.taskId, kite?.taskId];
		await control.forgeCallback({ url: boat?.callBackUrl ?? '', body: { taskId: good, state: 'success' } });
		await control.forgeCallback({ url: boat?.callBackUrl ?? '', body: { taskId: 'of-somebody-else' } });
		await control.finishTask(good, 'success');
		await control.repeatCallback(good);
		await delivered(1);
		await control.finishTask(bad, { failCode: 'MODERATION', failMsg: 'not like that' });
		await control.repeatCallback(bad);
		expect(await delivered(2)).toMatchObject([
			{ chat: 'anna', wish: 'A paper boat in the rain', taskId: good, problem: '' },
			{ chat: 'ben', wish: 'A kite', taskId: bad, video: '', problem: 'not like that' },
		]);
		const [{ video } = { video: '' }] = await delivered(2);
		expect((await fetch(String(video))).headers.get('content-type')).toBe('video/mp4');
		expect(ledger()).toHaveLength(2);
	});
});
