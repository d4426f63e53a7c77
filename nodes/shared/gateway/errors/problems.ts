import { UNREADABLE, type Outcome } from './errors';

/** How a request ended without a usable response. */
interface Problem {
	outcome: Outcome;
	retryable: boolean;
	code: string;
}

// prettier-ignore
export const PROBLEMS = {
	refused: { outcome: 'notSent', retryable: true, code: 'connection_refused' },
	certificate: { outcome: 'notSent', retryable: false, code: 'certificate' },
	address: { outcome: 'notSent', retryable: false, code: 'address' },
	blocked: { outcome: 'notSent', retryable: false, code: 'blocked_by_n8n' },
	credential: { outcome: 'notSent', retryable: true, code: 'credential_unreadable' },
	redirect: { outcome: 'rejected', retryable: false, code: 'redirected' },
	circle: { outcome: 'rejected', retryable: false, code: 'redirected' },
	lost: { outcome: 'unknown', retryable: true, code: 'connection_lost' },
	timeout: { outcome: 'unknown', retryable: true, code: 'timeout' },
	notJson: { outcome: 'unknown', retryable: true, code: UNREADABLE },
	proxy: { outcome: 'unknown', retryable: true, code: UNREADABLE },
	tooLarge: { outcome: 'unknown', retryable: false, code: 'response_too_large' },
	webPage: { outcome: 'rejected', retryable: false, code: 'web_page' },
	empty: { outcome: 'rejected', retryable: false, code: 'empty_file' },
} satisfies Record<string, Problem>;

export type ProblemName = keyof typeof PROBLEMS;
