import type { IDataObject } from 'n8n-workflow';

/** `object` without fields that have no value, which n8n shows as empty columns. */
export function compact(object: object): IDataObject {
	return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as IDataObject;
}
