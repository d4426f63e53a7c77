import type { ErrorText } from './statuses';

/** §7.4: texts by status for media endpoints, where `msg` is unstable. */
// prettier-ignore
export const BY_MEDIA_STATUS: Readonly<Record<number, ErrorText>> = {
	400: { message: 'The gateway did not accept the media request',
		description: 'The request does not fit this task or model (lyrics, for example, exist for music tasks only). Check the parameters.' },
	403: { message: 'The plan of the gateway account does not include this media model',
		description: 'Choose another model, or change the plan of the account.' },
	404: { message: 'The gateway has no such media task',
		description: 'The task does not exist, was deleted, has no saved result yet, or belongs to another account. Check the task ID and the credential.' },
	409: { message: 'The gateway is still busy with this media session',
		description: 'Another request of the same session is running. Wait until it has ended, or use another session.' },
	410: { message: 'What this media request refers to has expired',
		description: 'The gateway says that it is no longer valid (a promo code, for example). Remove or replace it.' },
	422: { message: 'The gateway did not accept the model or its input',
		description: 'Correct the field that it names. Each media model has its own fields: choose the model from the list again if unsure.' },
	502: { message: 'The generator of this media model is not working',
		description: 'Choose another model, or run the workflow again later.' },
	503: { message: 'The generator of this media model is not available at the moment',
		description: 'Choose another model, or run the workflow again later.' },
	504: { message: 'The generator of this media model did not respond in time',
		description: 'Run the workflow again later.' },
};
