/** URL and API key of a gateway. */
export interface GatewayAccess {
	baseUrl: string;
	apiKey: string;
}

/** The balance in rubles, a decimal string, from the gateway itself and not through n8n. */
export async function readBalance({ baseUrl, apiKey }: GatewayAccess): Promise<string> {
	const response = await fetch(`${baseUrl}/balance`, { headers: { authorization: `Bearer ${apiKey}` } });
	if (!response.ok) throw new Error(`The gateway responded to the balance request with ${response.status}.`);
	const body = (await response.json()) as { amount?: string; RUB?: string };
	const amount = body.amount ?? body.RUB;
	if (amount === undefined) throw new Error('The gateway gave no balance.');
	return amount;
}
