/** Who signs in. n8n wants a capital letter and a digit in the password. */
export interface Owner {
	email: string;
	password: string;
}

/** A workflow as the editor exports it. */
export interface WorkflowJson {
	name: string;
	nodes: Array<WorkflowNode>;
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	pinData?: Record<string, unknown>;
	meta?: Record<string, unknown>;
}

export interface WorkflowNode {
	name: string;
	type: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
	[key: string]: unknown;
}

/** What n8n answers about a stored workflow or credential. */
export interface Stored {
	id: string;
	name: string;
}

/** A workflow as stored; activating one needs its version. */
export interface StoredWorkflow extends Stored {
	versionId: string;
}

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

/** The parts of a node type's description that tests look at. */
export interface NodeTypeEntry {
	name: string;
	displayName: string;
	iconUrl?: string | { light: string; dark: string };
	[key: string]: unknown;
}

/** Which node's form is asked for, with the parameters chosen so far. */
export interface MapperQuery {
	/** `n8n-nodes-ai-gateway.textGeneration` */
	nodeType: string;
	version?: number;
	/** The parameter that the form belongs to: `input`. */
	parameter: string;
	methodName: string;
	parameters: Record<string, unknown>;
	credentials?: Record<string, Stored>;
}
