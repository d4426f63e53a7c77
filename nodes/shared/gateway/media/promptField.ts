import { takesUrls, type InputField, type InputForm } from './inputSchema';

/** Names of the field that says what a model makes, the most usual one first. */
const NAMES = ['prompt', 'text', 'input', 'script', 'description'];

/** The field of a model's input that takes the prompt; for speech, that is often `text`. */
export function promptField({ fields }: InputForm): InputField | undefined {
	const texts = fields.filter(
		(field) => field.kind === 'text' && field.choices.length === 0 && !takesUrls(field),
	);
	const [named] = NAMES.flatMap((name) => texts.filter((field) => field.name.toLowerCase() === name));
	const [required, ...others] = texts.filter((field) => field.required);
	return named ?? (others.length === 0 ? required : undefined);
}
