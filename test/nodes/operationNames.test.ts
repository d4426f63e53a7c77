import { choices } from '../helpers/panel';

// Names, actions and descriptions of operations, by n8n's UX guidelines.

const withAction = choices.filter(({ choice }) => choice.action !== undefined);
/** The events of triggers, which n8n lists as "On …". */
const events = withAction.filter(({ choice }) => choice.action?.startsWith('On '));
const operations = withAction.filter((choice) => !events.includes(choice));

/** n8n's wording of common operations. */
const VOCABULARY: Readonly<Record<string, RegExp>> = {
	Create: /^Create a new /,
	'Create and Wait': /^Create a new /,
	Delete: /^Delete a /,
	Get: /^Retrieve (a|the) /,
	'Get Many': /^Retrieve a list of /,
	Upload: /^Store a new /,
};

test('each operation has an action', () => {
	const inLists = choices.filter(({ place }) => place.includes('> Operation >'));
	expect(operations).toHaveLength(inLists.length);
	expect(operations.length).toBeGreaterThan(20);
});

describe.each(operations.map(({ place, choice }) => ({ place, ...choice })))(
	'$place',
	({ name, action = '', description = '' }) => {
		test('the action is a sentence that begins with the verb of the name', () => {
			expect(action).toMatch(/^[A-Z][a-z]+( [a-z]+)+$/);
			expect(action.split(' ')[0]).toBe(name.split(' ')[0]);
		});

		test('the description begins with a verb and says more than the name', () => {
			expect(description).toMatch(/^[A-Z][a-z]+ /);
			expect(description.length).toBeGreaterThan(action.length);
			expect(description).toMatch(VOCABULARY[name] ?? /./);
		});
	},
);

test('actions have different names', () => {
	const actions = operations.map(({ choice }) => choice.action);
	expect(new Set(actions).size).toBe(actions.length);
});

test('the events of triggers are in sentence case, without articles', () => {
	expect(events.length).toBeGreaterThan(4);
	for (const { choice } of events) {
		expect(choice.action).toMatch(/^On( [a-z]+)+$/);
		expect(choice.action).not.toMatch(/\b(a|an|the)\b/);
	}
});
