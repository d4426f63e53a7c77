/** The endpoints of the gateway (§4), each with the group in which a status means the same (§7). */
const GROUPS = {
	chat: 'text',
	responses: 'text',
	messages: 'text',
	createTask: 'media',
	fetchTask: 'media',
	downloadTask: 'media',
	archiveTask: 'media',
	unarchiveTask: 'media',
	deleteTask: 'media',
	restoreTask: 'media',
	fetchLyrics: 'media',
	createSession: 'media',
	listTasks: 'list',
	listFiles: 'list',
	uploadFile: 'storage',
	fetchFile: 'storage',
	deleteFile: 'storage',
	fetchBalance: 'balance',
	listModels: 'catalogue',
	// Any server, without the key.
	downloadUrl: 'file',
} as const;

export type Endpoint = keyof typeof GROUPS;

export type EndpointGroup = (typeof GROUPS)[Endpoint];

export function groupOf(endpoint: Endpoint): EndpointGroup {
	return GROUPS[endpoint];
}
