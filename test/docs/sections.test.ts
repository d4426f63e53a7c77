import { filesOf, readText } from '../helpers/markdown';

const API = 'docs/gateway-api.md';

it('each section of the API that is cited is on its page', () => {
	const sections = [...readText(API).matchAll(/^##+ ([\d.]+?)\.? /gm)].map(([, number]) => number);
	const cited = filesOf(/\.(ts|mjs|md)$/).flatMap((file) =>
		[...readText(file).matchAll(/§ ?(\d+(?:\.\d+)?)/g)].map(([, number]) => ({ file, number })),
	);
	expect(cited.length).toBeGreaterThan(200);
	expect(cited.filter(({ number }) => !sections.includes(number))).toStrictEqual([]);
});
