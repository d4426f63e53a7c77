import { textFormats } from '../../nodes/shared/gateway/text/formats';

// Values that workflows store, and lists of them.

/** The API formats of texts. */
export const FORMATS = textFormats.map(({ name }) => name);

/** A model that is chosen by its ID. */
export const locator = (value: string) => ({ __rl: true, mode: 'id', value });

/** A filled-in form, as a workflow stores it. */
export const form = (value: object, schema: object[] = []) => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema,
	attemptToConvertTypes: false,
	convertFieldsToString: false,
});

/** Settings with which an item that fails becomes an error item. */
export const CONTINUE = { onError: 'continueRegularOutput' } as const;
