/** n8n's image to run in place of an installed n8n, such as `docker.n8n.io/n8nio/n8n:next`; needs Docker. */
export const image = process.env['SANDBOX_N8N_IMAGE'];

/**
 * The command that runs n8n in a container: with the network and the user of this machine, and with the user folder,
 * where the package is installed, mounted at its own path.
 *
 * @param options.command of n8n: `start`, `worker`, `webhook`
 * @param options.environment all variables; the machine's own are not passed on
 */
export function containerCommand(options: {
	image: string;
	command: string;
	userFolder: string;
	environment: Record<string, string>;
}): { command: string; args: string[]; environment: NodeJS.ProcessEnv } {
	const { userFolder } = options;
	const environment = { ...options.environment, HOME: userFolder, TMPDIR: '/tmp' };
	return {
		command: 'docker',
		args: [
			'run',
			'--rm',
			'--network=host',
			`--user=${process.getuid?.() ?? 1000}:${process.getgid?.() ?? 1000}`,
			`--volume=${userFolder}:${userFolder}`,
			...Object.entries(environment).map(([name, value]) => `--env=${name}=${value}`),
			options.image,
			options.command,
		],
		environment: process.env,
	};
}
