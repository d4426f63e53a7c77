import { prepare, type RunOptions } from '../../helpers/engine';
import { nodesByName } from '../../helpers/panel';
import { PLACES, places, type Place } from './places';

/** Whether the editor warns before a run of so many items, with one of the node's hints. */
function warns({ name, node, resource, operation }: Place, options: object, count = 21, number = 0): unknown {
	const parameters = { ...PLACES[name], resource, operation, options: { ...options } };
	const { workflow } = prepare({ node: node as RunOptions['node'], parameters });
	const items = Array.from({ length: count }, (_, n) => ({ json: { n } }));
	const hint = nodesByName[node]?.description.hints?.[number];
	const condition = hint?.whenToDisplay === 'beforeExecution' ? hint.displayCondition : undefined;
	return workflow.expression.getParameterValue(
		condition ?? false,
		null,
		0,
		0,
		'Gateway',
		items,
		'manual',
		{},
	);
}

test.each(places.filter(({ node }) => node !== 'chatModel'))(
	'$name: before a run of more than 20 items, the editor warns if they cost money and nothing limits that',
	(place) => {
		const costsMoney = place.options.includes('maxCostRub');
		expect([warns(place, {}), warns(place, { dryRun: false })]).toStrictEqual([costsMoney, costsMoney]);
		const calm = [warns(place, {}, 20), warns(place, { maxCostRub: 70 }), warns(place, { dryRun: true })];
		expect(calm).toStrictEqual([false, false, false]);
	},
);

test.each<[string | undefined, boolean]>([
	['https://n8n.example.com/webhook-test/1/media-task', true],
	['={{ "https://n8n.example.com/webhook-test/" + $json.n }}', true],
	['https://n8n.example.com/webhook/1/media-task', false],
	[undefined, false],
])('before a run, the editor warns of the callback URL %s: %s', (callbackUrl, isTest) => {
	const [create] = places.filter(({ name }) => name === 'mediaTask task/create');
	expect(create && warns(create, callbackUrl === undefined ? {} : { callbackUrl }, 1, 1)).toBe(isTest);
});
