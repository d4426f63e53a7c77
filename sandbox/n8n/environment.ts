import { olderEnvironment } from './olderVersions';

/** What n8n inherits from this process. Not more: settings meant for another n8n, a test runner's `NODE_ENV` or a proxy would change it. */
const inherited = [
	'HOME',
	'USERPROFILE',
	'TMPDIR',
	'TEMP',
	'TMP',
	'LANG',
	'TZ',
	'SystemRoot',
	'ComSpec',
	'APPDATA',
];

/** The environment of a private n8n that talks to nobody but its own machine. */
export function n8nEnvironment(place: Place): Record<string, string> {
	const own = inherited.flatMap((name) => {
		const value = process.env[name];
		return value === undefined ? [] : [[name, value] as const];
	});
	return {
		...Object.fromEntries(own),
		N8N_USER_FOLDER: place.userFolder,
		N8N_HOST: place.host,
		N8N_PORT: String(place.port),
		N8N_LISTEN_ADDRESS: place.host,
		N8N_WEBHOOK_URL: `http://${place.host}:${place.port}/`,
		N8N_EDITOR_BASE_URL: `http://${place.host}:${place.port}/`,
		N8N_RUNNERS_BROKER_PORT: String(place.brokerPort),
		// A worker only responds to health checks, and only if this is set.
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(place.port),
		N8N_WORKER_SERVER_ADDRESS: place.host,
		DB_TYPE: 'sqlite',
		// The pages are served by http.
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		// The list of verified packages is fetched from n8n's servers.
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_COMMUNITY_PACKAGES_ENABLED: 'true',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		// Likewise the list of MCP servers.
		N8N_DISABLED_MODULES: 'mcp-registry',
		EXECUTIONS_DATA_SAVE_MANUAL_EXECUTIONS: 'true',
		EXECUTIONS_DATA_PRUNE: 'false',
		// Stopping waits for running executions this long (seconds).
		N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '5',
		N8N_LOG_LEVEL: 'info',
		NO_COLOR: '1',
		...olderEnvironment(),
	};
}

export interface Place {
	userFolder: string;
	host: string;
	port: number;
	brokerPort: number;
}
