import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runtimeModules } from '../../../sandbox/n8n/runtime';

// The official MCP client, which n8n has among its own modules.

/** A tool as a client lists it. */
export interface McpTool {
	name: string;
	description?: string;
	inputSchema: { properties?: Record<string, unknown>; required?: string[] };
}

/** The result of a call. */
export interface McpResult {
	content: Array<{ type: string; text?: string }>;
	isError?: boolean;
}

export interface McpClient {
	connect(transport: object): Promise<void>;
	listTools(): Promise<{ tools: McpTool[] }>;
	/** @param options.timeout after how many milliseconds it gives up; 60 000 by default */
	callTool(
		call: { name: string; arguments: Record<string, unknown> },
		schema?: undefined,
		options?: { timeout: number },
	): Promise<McpResult>;
	close(): Promise<void>;
}

const load = createRequire(join(runtimeModules, 'n8n', 'package.json'));

/** Connects to an MCP server, by Streamable HTTP. */
export async function connectMcp(url: string): Promise<McpClient> {
	const { Client } = load('@modelcontextprotocol/sdk/client/index.js') as {
		Client: new (info: { name: string; version: string }) => McpClient;
	};
	const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js') as {
		StreamableHTTPClientTransport: new (address: URL) => object;
	};
	const client = new Client({ name: 'tests', version: '1.0.0' });
	await client.connect(new StreamableHTTPClientTransport(new URL(url)));
	return client;
}
