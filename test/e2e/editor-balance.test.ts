import { story } from './support/editor/story';

// Gateway Balance and its trigger.

const scene = story('balance');

scene('balance: the money left, and whether it is low', async ({ editor, environment }) => {
	environment.gateway.control.setBalance('87.40');
	await editor.newWorkflow();
	const panel = await editor.addFirst('money', 'Gateway Balance', 'Get balance');
	await panel.addOption('Threshold (₽)');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(await panel.output.items()).toStrictEqual([
		{ amountRub: 87.4, amount: '87.40', currency: 'RUB', lowBalance: true },
	]);
	await panel.output.show('table');
	await editor.image('balance', 480);
});

scene('balance trigger: a test event shows the current balance', async ({ editor, environment }) => {
	environment.gateway.control.setBalance('87.40');
	await editor.newWorkflow();
	const panel = await editor.addFirst('alert', 'Gateway Balance', 'On balance falling below threshold');
	expect(await panel.openDropdown('fireOn')).toStrictEqual(['Falls Below', 'Runs Out Soon', 'Changes']);
	await panel.choose('fireOn', 'Falls Below');
	await panel.fill('threshold', '90');
	expect(await panel.execute()).toMatchObject({ ok: true });
	expect(await panel.output.items()).toStrictEqual([
		expect.objectContaining({ amountRub: 87.4, amount: '87.40', currency: 'RUB' }),
	]);
	await panel.output.show('table');
	await editor.image('balance-trigger', 540);
});
