import { ApiError } from './errors';

/** `text` without the secrets and without anything that looks like an API key (§2.9). */
export function redact(text: string, secrets: readonly string[]): string {
	const withoutSecrets = secrets
		.filter((secret) => secret.length > 3)
		.reduce((rest, secret) => rest.split(secret).join('[key]'), text);
	return withoutSecrets.replace(/\bsk-[0-9a-f-]{8,}/gi, '[key]');
}

/** Removes secrets from all texts of an {@link ApiError}: a gateway or a model may repeat what it was sent. */
export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
	if (!(error instanceof ApiError)) return error;
	const text = JSON.stringify(error.details);
	// Value by value: in the JSON text, a key may be escaped or equal a field name.
	const clean = JSON.parse(text, (_, value: unknown) =>
		typeof value === 'string' ? redact(value, secrets) : value,
	) as ApiError['details'];
	return JSON.stringify(clean) === text ? error : error.with(clean);
}
