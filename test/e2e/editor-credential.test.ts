import { freePort } from '../../sandbox/n8n/ports';
import type { Stored } from '../../sandbox/n8n/types';
import type { Environment } from './support/environment';
import { story } from './support/editor/story';
import { eventually } from './support/eventually';
import { gatewayNode, workflowOf } from './support/workflows';

// What the panels and the credential's form say about the credential.

const scene = story('credential');

scene('the credential has *Minimum Balance*', async ({ editor, environment }) => {
	const text = gatewayNode('Text', 'textGeneration', {});
	await editor.openWorkflow(await environment.store(workflowOf('Credential', [text], { Start: ['Text'] })));
	await editor.openNode('Text');
	await editor.credential.openChosen();
	await editor.credential.fill('minBalanceRub', '100');
	await editor.album.image('costs-minimum-balance', [editor.credential.root], 700);
	await editor.credential.save();
	await editor.credential.close();
});

/** Leaves the user with nothing but the installed package. */
async function forgetCredentials({ client }: Environment): Promise<void> {
	for (const { id } of await client.get<Stored[]>('/rest/credentials')) {
		await client.send('DELETE', `/rest/credentials/${id}`, {});
	}
}

scene('without a credential, the model picker and the form say what is missing', async (stage) => {
	const { editor, environment } = stage;
	await forgetCredentials(environment);
	await editor.newWorkflow();
	const panel = await editor.addFirst('gateway', 'Gateway Media Task', 'Create media task');
	await panel.root.getByText('Choose a model to see its fields').waitFor();
	await panel.root.getByTestId('rlc-input').click();
	await editor.page.getByText('Could not load list').waitFor();
	await editor.page.getByText('Add your credential').waitFor();
});

scene('the form reports a wrong address and a wrong key, and accepts the right ones', async (stage) => {
	const { editor, environment } = stage;
	const { baseUrl, apiKey } = environment.gateway;
	const { credential: form } = editor;
	await forgetCredentials(environment);
	await editor.newWorkflow();
	const panel = await editor.addFirst('gateway', 'Gateway Balance', 'Get balance');
	await form.openNew();
	// For a moment, the form still shows the failure before.
	const says = async (words: RegExp) =>
		await eventually(async () => expect(await form.failure()).toMatch(words));
	for (const text of ['Base URL', 'API Key', 'It ends in /api/v1', 'shown in full only once']) {
		await form.root.getByText(text).first().waitFor();
	}

	await form.fill('baseUrl', `http://127.0.0.1:${await freePort()}/api/v1`);
	await form.fill('apiKey', apiKey);
	await form.save();
	await says(/could not be reached.*Check the base URL/s);

	await form.fill('baseUrl', baseUrl.replace('/api/v1', '/v1'));
	await form.save();
	await says(/No gateway responds at this base URL.*ends in \/api\/v1/s);

	await form.fill('baseUrl', baseUrl);
	await form.fill('apiKey', 'sk-00000000-0000-4000-8000-000000000000');
	await form.save();
	await says(/key was refused: it is wrong, revoked or expired. The base URL is right/);

	await form.fill('apiKey', apiKey);
	await form.save();
	// n8n closes the form by itself when all is well.
	await form.root.waitFor({ state: 'hidden' });
	await form.openChosen();
	await form.root.getByText('Connection tested successfully').waitFor();
	await form.close();

	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(await panel.output.items()).toStrictEqual([
		{
			amountRub: Number(environment.gateway.control.balance()),
			amount: expect.any(String) as string,
			currency: 'RUB',
		},
	]);
});
