/** An endpoint of the gateway (§4). */
interface EndpointTraits {
	/** A status means the same for all of a group (§7). */
	group: 'text' | 'media' | 'list' | 'storage' | 'balance' | 'catalogue' | 'file';
	/** Whether it is about the account that pays: its key is that of the charge, not a newer one. */
	isOfPayer?: true;
}

const TRAITS = {
	chat: { group: 'text', isOfPayer: true },
	responses: { group: 'text', isOfPayer: true },
	messages: { group: 'text', isOfPayer: true },
	createTask: { group: 'media', isOfPayer: true },
	fetchTask: { group: 'media' },
	downloadTask: { group: 'media' },
	archiveTask: { group: 'media' },
	unarchiveTask: { group: 'media' },
	deleteTask: { group: 'media' },
	restoreTask: { group: 'media' },
	fetchLyrics: { group: 'media' },
	createSession: { group: 'media' },
	listTasks: { group: 'list' },
	listFiles: { group: 'list' },
	uploadFile: { group: 'storage' },
	fetchFile: { group: 'storage' },
	deleteFile: { group: 'storage' },
	fetchBalance: { group: 'balance', isOfPayer: true },
	listModels: { group: 'catalogue', isOfPayer: true },
	// Any server, without the key.
	downloadUrl: { group: 'file' },
} satisfies Record<string, EndpointTraits>;

export type Endpoint = keyof typeof TRAITS;

export type EndpointGroup = EndpointTraits['group'];

export const ENDPOINTS: Readonly<Record<Endpoint, EndpointTraits>> = TRAITS;
