import { InvalidInputError } from '../../errors/errors';

/** The error for a conversation with system messages only, in a format that needs a user message. */
export function noUserMessage(format: string): InvalidInputError {
	return new InvalidInputError(
		'There is no message with the role User',
		`The API format ${format} needs at least one.`,
		'messages',
	);
}
