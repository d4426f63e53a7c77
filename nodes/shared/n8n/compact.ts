import type { IDataObject } from 'n8n-workflow';

/** `object` without the fields that have no value: they would show up as empty columns. */
export function compact(object: object): IDataObject {
	return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as IDataObject;
}
