import { changesOfDocs } from '../../scripts/docs/generated';

it('docs/nodes and the output schemas are current: if not, run `npm run docs`', async () => {
	expect([...(await changesOfDocs()).keys()]).toStrictEqual([]);
	// All examples run.
}, 60_000);
