/** The requests that arrived, and how rules name them. */
/** Groups that latency and concurrency are counted by. */
export type EndpointGroup =
	| 'chat'
	| 'responses'
	| 'messages'
	| 'catalogue'
	| 'balance'
	| 'mediaCreate'
	| 'mediaStatus'
	| 'mediaDownload'
	| 'mediaOther'
	| 'storage'
	| 'files'
	| 'other';

export interface RequestRecord {
	/** Also sent to the client as `x-request-id`. */
	id: string;
	host: 'api' | 'files';
	group: EndpointGroup;
	method: string;
	/** Without the query. */
	path: string;
	query: string;
	/** API host: keys masked. File host: raw, so that a leaked key can be seen. */
	headers: Record<string, string | string[]>;
	/** Masked. */
	key: string | null;
	body: { contentType: string | null; bytes: number | null; model: string | null; json?: unknown };
	/** Null while it runs and when no response was written; 499 when the client closed the connection. */
	status: number | null;
	startedAt: number;
	endedAt: number | null;
	outcome: 'running' | 'finished' | 'aborted' | 'cut';
	/** Fault rules that hit it. */
	faults: string[];
}

/** Which requests are meant. All given parts must match. */
export interface RequestMatch {
	/** `api` (default) or `files`, the file host. */
	host?: 'api' | 'files';
	method?: string;
	/** Path below the base (`/chat/completions`); `*` stands for anything. On the file host: the whole path. */
	path?: string;
	/** The `model` of a JSON body. */
	model?: string;
	/** What the parts above cannot tell, such as the words of a prompt. */
	which?: (request: RequestRecord) => boolean;
}
