import { text, useStories } from './support';

// The response to an AI Agent's text tool is lost, after the text was generated and charged.

const { gateway, execute } = useStories();

const call = (toolCallId: string) => [{ json: { prompt: '[[say:four]]', toolCallId } }];
const tool = () => ({ ...text(), asTool: true });
const MAY_BE_CHARGED = /may (have been|be) charged/i;

async function lost() {
	gateway.control.addFault({ match: { method: 'POST' }, action: { kind: 'loseResponse' } });
	return await execute(tool(), call('call-1'));
}

it('the agent reads what happened and what to do, and goes on', async () => {
	const execution = await lost();
	expect(execution.error).toBeUndefined();
	expect(execution.items()).toHaveLength(1);
	const error = execution.items()[0]?.json.error;
	expect(typeof error).toBe('string');
	expect(error).toMatch(/connection/i);
	expect(error).toMatch(MAY_BE_CHARGED);
	expect(gateway.charges()).toBe(1);
});

it('the same call again pays nothing', async () => {
	const again = await (await lost()).callAgain(call('call-2'));
	expect(gateway.charges()).toBe(1);
	expect(again.error).toBeUndefined();
	expect(again.items()[0]?.json.error).toMatch(MAY_BE_CHARGED);
});

it('after a refused call, which is free, the same call again returns the text', async () => {
	const action = { kind: 'error', code: 'invalid_request' } as const;
	gateway.control.addFault({ match: { method: 'POST' }, action });
	const refused = await execute(tool(), call('call-1'));
	const again = await refused.callAgain(call('call-2'));
	expect(again.items()[0]?.json.text).toBe('four');
	expect(gateway.charges()).toBe(1);
});
