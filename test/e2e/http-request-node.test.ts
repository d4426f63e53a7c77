import type { RunResult } from '../../sandbox/n8n/executions';
import type { Stored } from '../../sandbox/n8n/types';
import { credentialType } from '../../sandbox/n8n/workflows';
import { useServer } from '../helpers/server';
import { useEnvironment, type Environment } from './support/environment';
import { gatewayNode, startName, workflowOf } from './support/workflows';

// n8n's HTTP Request node with this package's credential.

/** The versions of the node: the first sends credentials on redirects to other origins by default, the last does not. */
const versions = [4.2, 4.5];

let environment: Environment;
useEnvironment((started) => (environment = started));

/** A server that is not the gateway, and the requests to it. */
const foreignRequests: string[] = [];
const foreign = useServer((request, response) => {
	foreignRequests.push([request.url, ...request.rawHeaders].join('\n'));
	response.end('{}');
});
/** A gateway that redirects each request to the other server. */
const redirectedKeys: Array<string | undefined> = [];
const redirecting = useServer((request, response) => {
	redirectedKeys.push(request.headers.authorization);
	response.writeHead(302, { location: `${foreign.origin()}/x` }).end();
});

beforeEach(() => {
	foreignRequests.length = 0;
	redirectedKeys.length = 0;
});

const save = async (name: string, data: Record<string, unknown>) =>
	await environment.client.saveCredential(name, credentialType, data);

/** Runs the HTTP Request node with the credential as its predefined credential type. */
async function request(
	url: string,
	{ typeVersion = 4.5, credential = environment.credential, options = {}, settings = {} } = {},
): Promise<RunResult> {
	const node = {
		...settings,
		name: 'HTTP Request',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion,
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credentialType,
			options,
		},
	};
	const { id, name } = credential;
	const credentials = { [credentialType]: { id, name } };
	const workflow = workflowOf('HTTP Request', [{ ...node, credentials }], { [startName]: ['HTTP Request'] });
	return await environment.runWorkflow(workflow);
}

/** What n8n stores of the execution. */
const stored = async ({ executionId }: RunResult) => await environment.readExecutionRaw(executionId);

describe.each(versions)('the HTTP Request node, version %s', (typeVersion) => {
	test('reads the balance', async () => {
		const { gateway } = environment;
		const result = await request(`${gateway.baseUrl}/balance`, { typeVersion });
		expect(result.error).toBeUndefined();
		expect(result.nodes['HTTP Request']?.items.map(({ json }) => json)).toStrictEqual([
			expect.objectContaining({ amount: gateway.control.balance() }),
		]);
		expect(await stored(result)).not.toContain(gateway.apiKey);
	});

	test('sends nothing to another server, and says why', async () => {
		const { gateway } = environment;
		const result = await request(`${foreign.origin()}/balance`, { typeVersion });
		expect(result.error).toMatchObject({
			message: 'The AI Gateway credential is for another address than the URL of this request',
			description: expect.stringContaining(
				`the API key is sent only to ${new URL(gateway.baseUrl).origin}`,
			) as string,
		});
		expect(foreignRequests).toStrictEqual([]);
	});

	describe('and a gateway that redirects to another server', () => {
		let credential: Stored;

		beforeAll(async () => {
			const { apiKey } = environment.gateway;
			credential = await save('Redirecting', { baseUrl: `${redirecting.origin()}/api/v1`, apiKey });
		});

		// As an error, and as an error item, which also has the request.
		test.each(['stopWorkflow', 'continueRegularOutput'])('ends with the redirect (%s)', async (onError) => {
			const options = {
				redirect: { redirect: { followRedirects: true, maxRedirects: 5 } },
				sendCredentialsOnCrossOriginRedirect: true,
			};
			const url = `${redirecting.origin()}/api/v1/balance`;
			const result = await request(url, { typeVersion, credential, options, settings: { onError } });
			expect(result.status).toBe(onError === 'stopWorkflow' ? 'error' : 'success');
			expect(redirectedKeys).toStrictEqual([`Bearer ${environment.gateway.apiKey}`]);
			expect(foreignRequests).toStrictEqual([]);
			expect(await stored(result)).not.toContain(environment.gateway.apiKey);
		});
	});

	test('does not request a next page from another server', async () => {
		const { baseUrl, control } = environment.gateway;
		const requestsBefore = control.requests({ path: '/balance' }).length;
		const pagination = {
			paginationMode: 'responseContainsNextURL',
			nextURL: `={{ $pageCount ? '${foreign.origin()}/next' : '${baseUrl}/balance' }}`,
			paginationCompleteWhen: 'other',
			completeExpression: '={{ $pageCount > 2 }}',
		};
		const options = { pagination: { pagination } };
		const result = await request(`${baseUrl}/balance`, { typeVersion, options });
		expect(result.error?.message).toContain('another address');
		expect(control.requests({ path: '/balance' })).toHaveLength(requestsBefore + 1);
		expect(foreignRequests).toStrictEqual([]);
	});
});

describe('Allowed HTTP Request Domains', () => {
	test.each([
		['All', { allowedHttpRequestDomains: 'all' }, undefined],
		['Specific Domains', { allowedHttpRequestDomains: 'domains', allowedDomains: '127.0.0.1' }, undefined],
		['None', { allowedHttpRequestDomains: 'none' }, /configured to prevent use/],
	])(
		'%s applies to the HTTP Request node, and not to the nodes of this package',
		async (_, domains, text) => {
			const { baseUrl, apiKey } = environment.gateway;
			const credential = await save('Domains', { baseUrl, apiKey, ...domains });
			const result = await request(`${baseUrl}/balance`, { credential });
			expect(result.error?.message ?? '').toMatch(text ?? /^$/);

			const node = gatewayNode('Balance', 'balance', { resource: 'balance', operation: 'get' });
			const own = workflowOf('Own', [node], { [startName]: ['Balance'] });
			expect((await environment.execute(own, credential)).status).toBe('success');
		},
	);
});
