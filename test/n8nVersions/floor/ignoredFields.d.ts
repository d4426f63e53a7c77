export {};

// Fields of descriptions that n8n 1.123 does not declare and ignores. Without them, it shows less and works the same.
declare module 'n8n-workflow' {
	interface INodeTypeDescription {
		builderHint?: object;
	}
	interface INodeProperties {
		builderHint?: object;
	}
	interface ResourceMapperTypeOptionsBase {
		refreshStaleSchemaOnOpen?: boolean;
	}
}
