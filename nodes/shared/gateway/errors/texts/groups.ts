import { BY_STATUS, type ErrorText } from './statuses';

/** Groups of endpoints in which a status means the same. */
export type EndpointGroup = 'text' | 'media' | 'list' | 'storage' | 'balance' | 'catalogue' | 'file';

export type StatusTexts = Readonly<Record<number, ErrorText>>;

const OTHER_MODEL = 'Choose another model, or run the workflow again later.';

const MODEL: StatusTexts = {
	502: { message: 'The provider of this model is not working', description: OTHER_MODEL },
	503: { message: 'The provider of this model is not available at the moment', description: OTHER_MODEL },
};

const NO_FILE: ErrorText = {
	message: 'The gateway has no such file',
	description:
		'It was deleted, has expired (uploads are kept for 24 hours, generated files for 7 days, permanent ones until you delete them) or belongs to another account. Check the ID or the link, and the credential.',
};

const GONE: ErrorText = { ...NO_FILE, message: 'There is no file behind the link' };

const NO_ACCESS: ErrorText = {
	message: 'The server of the file does not accept the link',
	description:
		'A link of the gateway stops working when its file expires or is deleted. A link elsewhere may need a sign-in: download the file with n8n’s HTTP Request node, and use its binary field.',
};

/** §7.4, §7.5: the texts of a group, where its errors carry no code or a status means something else than elsewhere. */
// prettier-ignore
export const BY_GROUP: Readonly<Record<EndpointGroup, StatusTexts>> = {
	text: {
		...MODEL,
		504: { ...BY_STATUS[504],
			description: "The model did not finish in time. The option 'Stream', or an agent that streams its response, allows 15 minutes. Or ask for a shorter response (option 'Max Tokens'), shorten the input, or choose a faster model." },
	},
	media: {
		...MODEL,
		404: { message: 'The gateway has no such media task',
			description: 'The task does not exist, was deleted, has no saved result yet, or belongs to another account. Check the task ID and the credential.' },
		409: { message: 'The gateway is still busy with this media session',
			description: 'Another request of the same session is running. Wait until it has ended, or use another session.' },
		410: { message: 'What this media request refers to has expired',
			description: 'The gateway says that it is no longer valid (a promo code, for example). Remove or replace it.' },
		422: { message: 'The gateway did not accept the model or its input',
			description: 'Correct the field that it names. Each media model has its own fields: choose the model from the list again if unsure.' },
	},
	list: { 404: { message: 'The gateway does not offer this list',
		description: "Its specification does not describe it, so a gateway may be without it. Keep the IDs that 'Create' and 'Upload' return." } },
	storage: {
		400: { message: 'The gateway did not accept the file',
			description: 'It stores images, videos and audio. Check what kind of file it is.' },
		404: NO_FILE,
	},
	balance: {},
	catalogue: {},
	file: { 401: NO_ACCESS, 403: NO_ACCESS, 404: GONE, 410: GONE },
};
