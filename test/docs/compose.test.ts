import { parse } from 'yaml';
import { readText } from '../helpers/markdown';

// The Docker Compose files in examples/docker.

interface Service {
	image: string;
	entrypoint?: string;
	command?: string;
	environment?: Record<string, string>;
	volumes?: string[];
	depends_on?: Record<string, { condition: string }>;
	ports?: string[];
}

const read = (file: string) =>
	parse(readText(`examples/docker/${file}`), { merge: true }) as {
		services: Record<string, Service>;
		volumes: Record<string, null>;
		configs?: Record<string, { content: string }>;
	};

const single = read('compose.yml');
const queue = read('compose.queue.yml');
const n8nOf = ({ services }: typeof single): Array<[string, Service]> =>
	Object.entries(services).filter(([name, { image }]) => name !== 'package' && image.includes('n8nio/n8n'));

it('one file runs one n8n, the other one main, webhook processes and workers', () => {
	expect(n8nOf(single).map(([name, { command }]) => [name, command])).toStrictEqual([['n8n', undefined]]);
	expect(n8nOf(queue).map(([name, { command }]) => [name, command])).toStrictEqual([
		['main', undefined],
		['webhook', 'webhook'],
		['worker', 'worker'],
	]);
});

describe.each([
	['compose.yml', single],
	['compose.queue.yml', queue],
])('%s', (_, file) => {
	it('installs the package with npm, without its peers, which are n8n', () => {
		const { entrypoint, command, image } = file.services['package'] ?? {};
		expect(entrypoint).toBe('npm install --prefix /home/node/.n8n/nodes --legacy-peer-deps --ignore-scripts');
		expect(command).toBe('${PACKAGE:-n8n-nodes-ai-gateway}');
		expect(new Set(n8nOf(file).map(([, n8n]) => n8n.image))).toStrictEqual(new Set([image]));
	});

	test.each(n8nOf(file))('%s starts with the package and loads it', (_name, n8n) => {
		expect(n8n.depends_on?.['package']).toStrictEqual({ condition: 'service_completed_successfully' });
		expect(n8n.volumes).toStrictEqual(['n8n_data:/home/node/.n8n']);
		expect(file.services['package']?.volumes).toContain('n8n_data:/home/node/.n8n');
		expect(n8n.environment).toMatchObject({ N8N_UNVERIFIED_PACKAGES_ENABLED: 'true' });
	});

	test.each(n8nOf(file))('%s has the same public address under both names', (_name, { environment }) => {
		expect(environment).toMatchObject({
			N8N_WEBHOOK_URL: '${N8N_WEBHOOK_URL:-http://localhost:5678/}',
			WEBHOOK_URL: '${N8N_WEBHOOK_URL:-http://localhost:5678/}',
		});
	});

	it('names each volume, and opens ports to this machine only', () => {
		const services = Object.values(file.services);
		const named = services.flatMap(({ volumes = [] }) =>
			volumes.map((volume) => volume.split(':')[0] ?? '').filter((name) => name !== '.'),
		);
		expect(new Set(named)).toStrictEqual(new Set(Object.keys(file.volumes)));
		const ports = services.flatMap(({ ports: open = [] }) => open);
		expect(ports).toHaveLength(1);
		expect(ports[0]).toMatch(/^127\.0\.0\.1:5678:/);
	});
});

describe('queue mode', () => {
	test.each(n8nOf(queue))('%s shares key, queue, database and files with the others', (_name, n8n) => {
		expect(n8n.environment).toMatchObject({
			EXECUTIONS_MODE: 'queue',
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			N8N_DEFAULT_BINARY_DATA_MODE: 'database',
			N8N_ENCRYPTION_KEY: '${N8N_ENCRYPTION_KEY:?Set it in .env}',
			QUEUE_BULL_REDIS_HOST: 'redis',
			DB_POSTGRESDB_HOST: 'postgres',
			DB_POSTGRESDB_PASSWORD: queue.services['postgres']?.environment?.['POSTGRES_PASSWORD'],
		});
		expect(n8n.depends_on).toMatchObject({
			postgres: { condition: 'service_healthy' },
			redis: { condition: 'service_healthy' },
		});
	});

	it('leads webhooks and callbacks of suspended executions to the webhook processes', () => {
		const caddyfile = queue.configs?.['caddyfile']?.content ?? '';
		const webhooks = /@webhooks path (.+)/.exec(caddyfile)?.[1]?.split(' ');
		expect(webhooks).toStrictEqual(expect.arrayContaining(['/webhook/*', '/webhook-waiting/*']));
		expect(caddyfile).toContain('reverse_proxy @webhooks webhook:5678');
		expect(caddyfile).toContain('reverse_proxy main:5678');
	});

	it('.env.example names each variable of the files', () => {
		const text = readText('examples/docker/compose.yml') + readText('examples/docker/compose.queue.yml');
		const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
		const named = [...readText('examples/docker/.env.example').matchAll(/^#?(\w+)=/gm)].map(
			([, name]) => name,
		);
		expect(new Set(named)).toStrictEqual(used);
	});
});
