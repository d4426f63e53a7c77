import { CONTINUE, image, numbered, prompts, RETRY_ON_FAIL, says, text, useStories } from './support';

// A credential whose API key is an expression, which gives the key of another account in the next try.

const { gateway, execute, disturb } = useStories();

const ANOTHER = /another (account|API key|credential)|(account|API key|credential) has changed/i;
/** The requests of a try of the node: the first one, and three more. */
const ONE_TRY = 4;

/** Two accounts; the second one's key is read as soon as `isNext` holds. */
function twoAccounts(isNext: () => boolean) {
	const keys = ['first', 'second'].map((account) => gateway.control.createKey({ account }).key);
	return { keyOf: () => keys[isNext() ? 1 : 0] ?? '' };
}

const chargesOf = (account: string) => gateway.control.ledger(account).length;
/** How many requests for this prompt have ended. */
const ended = (prompt: string) =>
	gateway.control
		.requests({ method: 'POST' })
		.filter((request) => says(prompt)(request) && request.endedAt !== null).length;

describe('the response to a creation is lost, and *Retry On Fail* has the key of another account', () => {
	const lose = () => disturb(says('a cat'), { kind: 'loseResponse' });
	const credential = () => twoAccounts(() => ended('a cat') >= ONE_TRY);

	it('the other account pays for no second picture, and the error says why', async () => {
		lose();
		const { error, errorText } = await execute(image({}, RETRY_ON_FAIL), prompts('a cat'), credential());
		expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
		expect(error?.context?.itemIndex).toBe(0);
		expect(errorText).toMatch(ANOTHER);
		expect(errorText).not.toContain('Nothing was charged');
	});

	it('the pictures of the other items come out, and are paid once', async () => {
		lose();
		const node = image({}, { ...RETRY_ON_FAIL, ...CONTINUE });
		const execution = await execute(node, prompts('a cat', 'a dog', 'a cow'), credential());
		expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([3, 0]);
		const [error] = execution.errors();
		expect(JSON.stringify(error)).toMatch(ANOTHER);
		expect(error).toMatchObject({ retryable: false, mayBeCharged: true });
		const made = gateway.control.tasks().map(({ input, taskId }) => [input.prompt, taskId]);
		const drawn = execution.items().slice(1);
		expect(drawn.map(({ json }) => json.taskId)).toStrictEqual(
			['a dog', 'a cow'].map((prompt) => new Map(made as Array<[string, string]>).get(prompt)),
		);
		expect(drawn.every(({ binary }) => binary?.data)).toBe(true);
	});
});

it('a creation that takes longer than the key is read is repeated with the same key', async () => {
	gateway.control.configure({ latency: { mediaCreate: 90_000 } });
	disturb((request) => says('a cat')(request) && ended('a cat') === 0, { kind: 'loseResponse' });
	const execution = await execute(
		image(),
		prompts('a cat'),
		twoAccounts(() => ended('a cat') > 0),
	);
	expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([1, 0]);
	// The other account does not have the task.
	expect(execution.errorText).toContain(`Task ${gateway.control.tasks()[0]?.taskId} is paid for`);
});

describe('texts that are paid for come out, whatever the key is', () => {
	const THREE = ['text 0', 'text 1', 'text 2'];

	/** The third of three texts is refused, once; then the key is another one. */
	function refuseThird() {
		disturb(
			(request) => says('text 2')(request) && ended('text 2') === 0,
			{ kind: 'error', code: 'invalid_request' },
			() => gateway.charges() === 2,
		);
		return twoAccounts(() => ended('text 2') > 0);
	}

	it('in the next try of *Retry On Fail*', async () => {
		const execution = await execute(text({}, RETRY_ON_FAIL), numbered(3), refuseThird());
		expect(execution.items().map(({ json }) => json.text)).toStrictEqual(THREE);
		expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([2, 1]);
	});

	it('in a retry of the execution', async () => {
		const failed = await execute(text(), numbered(3), refuseThird());
		const retried = await failed.retry();
		expect(retried.items().map(({ json }) => json.text)).toStrictEqual(THREE);
		expect([chargesOf('first'), chargesOf('second')]).toStrictEqual([2, 1]);
	});
});
