import { ApiError } from './errors';

/** `text` without the secrets and without anything that looks like an API key (§2.9). */
export function redact(text: string, secrets: readonly string[]): string {
	const withoutSecrets = secrets
		.filter((secret) => secret.length > 3)
		.reduce((rest, secret) => rest.split(secret).join('[key]'), text);
	return withoutSecrets.replace(/\bsk-[0-9a-f-]{8,}/gi, '[key]');
}

/** The shortest secret that is removed from what the gateway sends, in characters: a shorter one may be a word. */
const LONG = 16;

/** What the gateway sends, without keys that it repeats: they would stand in outputs, and cut in errors. */
export function withoutKeys(received: string, secrets: readonly string[]): string {
	return secrets
		.filter((secret) => secret.length >= LONG)
		.reduce((rest, secret) => rest.replaceAll(secret, '[key]'), received);
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
