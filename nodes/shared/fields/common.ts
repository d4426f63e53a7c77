import type { IDataObject, INodeProperties } from 'n8n-workflow';

/** Chooses between the fields that matter and the answer as the gateway gave it. */
export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** `object` without the fields that have no value: they would show up as empty columns. */
export function compact<T extends object>(object: T): IDataObject {
	return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as IDataObject;
}
