import { parseArgs } from 'node:util';

export const help = `npm run demo -- [options]

Starts everything there is to try, on this machine only: a sandbox gateway with play money and a real n8n with this
package installed. Runs the example workflow "From a topic to a picture in storage", shows what each step gave and cost,
and leaves the editor open. The first start installs what is missing, n8n among it (4.2 GB, some minutes);
later ones take seconds.

  --once               end after the run: exit code 0 only when every step worked and the picture is a valid PNG
  --port N             port of n8n's editor (default 5678)
  --gateway-port N     port of the sandbox gateway (default 4010); its files are served on the port after it
  --fresh              forget what earlier demos left in n8n (workflows, executions, the login)
  --help               show this`;

/**
 * Reads the demo's command line.
 * @param {string[]} args
 * @returns {{ once: boolean, fresh: boolean, help: boolean, port: number, gatewayPort: number, filesPort: number } | { problem: string }}
 */
export function readOptions(args) {
	let values;
	try {
		({ values } = parseArgs({
			args,
			options: {
				once: { type: 'boolean', default: false },
				fresh: { type: 'boolean', default: false },
				help: { type: 'boolean', short: 'h', default: false },
				port: { type: 'string', default: '5678' },
				'gateway-port': { type: 'string', default: '4010' },
			},
		}));
	} catch (error) {
		return { problem: error.message.split('.')[0] };
	}
	const { once, fresh, help: wantsHelp } = values;
	const port = Number(values.port);
	const gatewayPort = Number(values['gateway-port']);
	if (!isPort(port)) return { problem: `--port takes a number from 1024 to 65534, not "${values.port}"` };
	if (!isPort(gatewayPort)) {
		return { problem: `--gateway-port takes a number from 1024 to 65534, not "${values['gateway-port']}"` };
	}
	if (port === gatewayPort || port === gatewayPort + 1) {
		return { problem: `--port ${port} is a port that the sandbox gateway takes: choose another` };
	}
	return { once, fresh, help: wantsHelp, port, gatewayPort, filesPort: gatewayPort + 1 };
}

function isPort(value) {
	return Number.isInteger(value) && value >= 1024 && value <= 65534;
}
