import { InvalidInputError } from '../../errors/errors';

/** The error for a conversation with system messages only, in a format that needs a user message. */
export function noUserMessage(format: string): InvalidInputError {
	return new InvalidInputError(
		'There is no message of the user',
		`The API format ${format} needs at least one message with the role User. Nothing was sent.`,
		'messages',
	);
}
