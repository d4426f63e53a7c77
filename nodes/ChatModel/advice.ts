import { ApiFailure } from '../shared/gateway/failure';

/**
 * The advice for a busy gateway in terms of what there is here: how much is asked at a time is not up to this node, but to
 * the one that uses it. Any other error comes back as it is.
 */
export function withOwnAdvice(error: Error): Error {
	if (!(error instanceof ApiFailure) || error.details.status !== 429) return error;
	const { description } = error.details;
	return error.with({
		description: description.replace(
			/the option (["'])Concurrency\1/,
			'$1Batch Size$1 of the agent or chain',
		),
	});
}
