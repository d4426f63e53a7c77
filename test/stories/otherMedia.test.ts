import { locator } from '../contract/support';
import { image, prompts, useStories } from './support';

// *Generate an image* with the model of videos, which cost many times as much, while the catalogue does not respond.

const { gateway, execute, sent } = useStories();

const video = () =>
	image({
		model: locator('lumen/motion-2'),
		prompt: '',
		inputMode: 'json',
		inputJson: '={{ JSON.stringify({ prompt: $json.prompt }) }}',
	});

function failCatalogue(times: number): void {
	const action = { kind: 'error', code: 'service_unavailable' } as const;
	gateway.control.addFault({ match: { path: '/media/models' }, action, times });
}

it('nothing is created, and the error names the operation that needs no catalogue', async () => {
	failCatalogue(0);
	const { errorText } = await execute(video(), prompts('waves', 'clouds'));
	expect(sent()).toStrictEqual([]);
	expect(gateway.charges()).toBe(0);
	expect(errorText).toContain('Create and Wait');
	expect(errorText).toMatch(/Nothing was (sent|created)/);
});

it('the error of a refused key names no other operation, which would be refused, too', async () => {
	const action = { kind: 'error', code: 'invalid_api_key' } as const;
	gateway.control.addFault({ match: { path: '/media/models' }, action, times: 0 });
	const { errorText } = await execute(video(), prompts('waves'));
	expect(errorText).toContain('The gateway refused the API key');
	expect(errorText).not.toContain('Create and Wait');
});

it('a picture that was asked for is not created, either: a retry makes it when the catalogue responds', async () => {
	failCatalogue(0);
	const json = { ...video().parameters, model: locator('aurora/canvas-1') };
	const failed = await execute(image(json), prompts('a cat', 'a dog'));
	expect(sent()).toStrictEqual([]);
	gateway.control.clearFaults();
	const retried = await failed.retry();
	expect(retried.error).toBeUndefined();
	expect(retried.items()).toHaveLength(2);
	expect(gateway.charges()).toBe(2);
});

it('after one 503, the error is about the media type, and nothing is created', async () => {
	failCatalogue(1);
	const { error, errorText } = await execute(video(), prompts('waves', 'clouds'));
	expect(sent()).toStrictEqual([]);
	expect(error?.message).toMatch(/media type .*Video/);
	expect(errorText).toContain('Nothing was sent.');
	expect(gateway.charges()).toBe(0);
});
