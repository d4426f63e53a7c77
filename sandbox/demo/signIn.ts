import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';

export interface SignInLink {
	url: string;
	close(): Promise<void>;
}

/**
 * Serves a link that gives the browser a session of n8n and redirects it to a page of the editor. Browsers send cookies
 * to all ports of a host.
 *
 * @param editorUrl the page, at a port of the same host
 * @param session n8n's cookie, as `name=value`
 */
export async function serveSignInLink(editorUrl: string, session: string): Promise<SignInLink> {
	const { hostname: host } = new URL(editorUrl);
	const path = `/${randomBytes(12).toString('base64url')}`;
	const server = Fastify({ forceCloseConnections: true });
	server.get(path, async (_request, reply) =>
		reply.header('set-cookie', `${session}; Path=/; HttpOnly; SameSite=Lax`).redirect(editorUrl),
	);
	const address = await server.listen({ host, port: 0 });
	return { url: `${address}${path}`, close: async () => await server.close() };
}
