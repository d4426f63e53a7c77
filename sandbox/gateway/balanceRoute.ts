/** GET /balance (§4.18) in the shape that control has chosen (§2.8). */
import type { FastifyInstance } from 'fastify';
import { authenticate } from './auth';
import type { GatewayContext } from './context';
import { formatRubles } from './money';

/** Play money has a play rate. */
const rublesPerDollar = 100n;

export function balanceRoute(app: FastifyInstance, context: GatewayContext): void {
	app.get('/balance', (request) => {
		const { wallet } = authenticate(context, request);
		if (context.settings.current.balanceShape === 'amount') return { amount: formatRubles(wallet) };
		return { RUB: formatRubles(wallet), USD: formatRubles(wallet / rublesPerDollar) };
	});
}
