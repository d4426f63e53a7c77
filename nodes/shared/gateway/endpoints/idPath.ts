import { InvalidInputError } from '../errors/errors';
import { ID } from '../util/id';

/** The path of a task or a file. @throws {InvalidInputError} for what is no ID */
export function idPath(parent: string, id: string): string {
	if (ID.test(id)) return `${parent}/${encodeURIComponent(id)}`;
	throw new InvalidInputError(`"${id}" is not an ID`, 'Enter the ID exactly as the gateway returned it.');
}
