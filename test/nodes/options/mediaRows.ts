import type { INodeParameters } from 'n8n-workflow';

import { asObjects, asText, type JsonObject } from '../../../nodes/shared/gateway/util/json';
import { filled } from '../../contract/support';
import { binaryStorage, storedBinary } from '../../helpers/engine';
import { bodies, call, EACH, gateway, requests, type Row } from './places';

// Options of media tasks, files, songs and the balance, for two items with different values.

const PICTURE = { ...filled('aurora/canvas-1', { quality: 'draft', size: '512x512' }), prompt: 'Rain' };

/** Two tasks of a model, and their results. */
async function twoTasks(model: string, input: object): Promise<JsonObject[]> {
	const parameters = { ...filled(model, input), prompt: '={{ "Rain " + $json.n }}', downloadResults: false };
	const items = [{ json: { n: 1 } }, { json: { n: 2 } }];
	const created = await gateway.media('createAndWait', parameters, { items });
	return created.items.map(({ json }) => json as JsonObject);
}

/** For items of two existing tasks. */
const ofTasks = (tasks: JsonObject[]): INodeParameters => ({
	taskId: `={{ ${JSON.stringify(tasks.map(({ taskId }) => taskId))}[$json.n] }}`,
});

/** How many files the task of a place has. */
const FILES: Readonly<Record<string, number>> = { image: 2, task: 2, music: 2 };

/** The values of an option in the bodies of two creations, and how often they are charged. */
function wireRow(option: string, field: string, values: () => Promise<readonly string[]>): Row {
	return {
		see: async (place) => {
			// No server receives them.
			gateway.control.configure({ callbacks: { mode: 'off' } });
			const given = await values();
			const begin = bodies().length;
			const { errors } = await call(place, { [option]: EACH }, { values: given });
			const sent = bodies()
				.slice(begin)
				.map((body) => body[field]);
			return [sent.map((one) => given.findIndex((value) => value === one)), gateway.charges(), errors];
		},
		right: () => [[0, 1], 2, ''],
	};
}

export const mediaRows: Record<string, Row> = {
	callbackUrl: wireRow(
		'callbackUrl',
		'callBackUrl',
		async () => await Promise.resolve(['https://hooks.test/a', 'https://hooks.test/b?c=1']),
	),

	sessionId: wireRow('sessionId', 'sessionId', async () => {
		const items = [{ json: {} }, { json: {} }];
		const created = await gateway.media('create', { sessionJson: '{}' }, { items }, 'session');
		return created.items.map(({ json }) => asText(json.sessionId) ?? '');
	}),

	/** The fields of the files of two items. */
	binaryPropertyName: {
		see: async (place) => {
			const exists = place.operation === 'wait' || place.operation === 'download';
			const drawn = { quality: 'draft', size: '512x512', num_images: 2 };
			const parameters = exists ? ofTasks(await twoTasks('aurora/canvas-1', drawn)) : {};
			const given = { binaryPropertyName: EACH };
			const { items, errors } = await call(place, given, { values: ['cover', 'pic'], parameters });
			return [items.map(({ binary = {} }) => Object.keys(binary).join()), errors];
		},
		right: ({ resource = '', operation, asTool }) => {
			const isOne = operation === 'edit' || operation === 'download';
			const count = isOne ? 1 : (FILES[resource] ?? 1);
			const named = (name: string) =>
				Array.from({ length: count }, (_, index) => (index === 0 ? name : `${name}_${index}`)).join();
			return [['cover', 'pic'].map((name) => (asTool ? '' : named(name))), ''];
		},
	},

	/** The names of the files of two items. */
	fileName: {
		see: async (place) => {
			const isStored = place.node === 'storage';
			const exists = place.operation === 'wait' || place.operation === 'download';
			const drawn = { quality: 'draft', size: '512x512' };
			const parameters = exists && !isStored ? ofTasks(await twoTasks('aurora/canvas-1', drawn)) : {};
			if (isStored) {
				const png = { uploadSource: 'base64', base64: 'UE5H', mimeType: 'image/png' };
				const { items } = await gateway.run({
					node: 'storage',
					parameters: { resource: 'file', operation: 'upload', ...png },
				});
				Object.assign(parameters, { fileId: items[0]?.json.id });
			}
			const given = { fileName: EACH };
			const { items, errors } = await call(place, given, { values: ['Lamp', 'Sofa'], parameters });
			return [items.map(({ binary = {} }) => Object.values(binary)[0]?.fileName?.split(/[._]/)[0]), errors];
		},
		right: ({ asTool }) => [asTool ? [undefined, undefined] : ['Lamp', 'Sofa'], ''],
	},

	/** The fields of two items, in their outputs. */
	includeInput: {
		see: async (place) => {
			const isWait = place.operation === 'wait';
			const parameters = isWait ? ofTasks(await twoTasks('aurora/canvas-1', {})) : {};
			const { items, errors } = await call(place, { includeInput: true }, { values: ['a', 'b'], parameters });
			return [items.map(({ json: { n = '', value = '' } }) => [n, value]), errors];
		},
		right: ({ asTool }) => [
			asTool
				? [
						['', ''],
						['', ''],
					]
				: [
						[0, 'a'],
						[1, 'b'],
					],
			'',
		],
	},

	/** The seconds for which an item waits for a task that takes an hour, and its error. */
	maxWait: {
		see: async (place) => {
			const hour = 3_600_000;
			gateway.control.configure({ taskDuration: { image: hour, video: hour, music: hour, audio: hour } });
			const { items } = await gateway.media('create', PICTURE);
			const parameters = place.operation === 'wait' ? { taskId: items[0]?.json.taskId } : {};
			const seen: unknown[] = [];
			for (const maxWait of [0.5, 2]) {
				const begin = Date.now();
				const { errors } = await call(place, { maxWait }, { parameters: parameters as INodeParameters });
				seen.push(Math.round((Date.now() - begin) / 1_000), errors.includes('within the maximum wait'));
			}
			return seen;
		},
		right: () => [30, true, 120, true],
	},

	/** For each source of a file: the users in the records; what is sent with one that is too long, and whether the error says so. */
	externalUserId: {
		see: async (place) => {
			const png = await storedBinary('PNG', { mimeType: 'image/png', fileName: 'a.png' });
			const { items } = await call(place, {});
			const sources: INodeParameters[] = [
				{},
				{ uploadSource: 'url', url: asText(items[0]?.json.url) ?? '' },
				{ uploadSource: 'binary' },
			];
			const seen: unknown[] = [];
			for (const parameters of place.asTool ? sources.slice(0, 2) : sources) {
				const ask = async (...values: string[]) =>
					await call(place, { externalUserId: EACH }, { values, parameters, binary: { data: png } });
				const stored = await ask('customer-42', 'c'.repeat(128));
				const before = requests().length;
				const { errors } = await ask('c'.repeat(129));
				seen.push([
					...stored.items.map(({ json }) => asText(json.externalUserId)?.length),
					requests().length - before,
					errors.includes("'External User ID'"),
				]);
			}
			return seen;
		},
		right: ({ asTool }) => Array.from({ length: asTool ? 2 : 3 }, () => [11, 128, 0, true]),
	},

	/** The names of the files and their first lines. */
	subtitleFormat: {
		see: async (place) => {
			const tasks = await twoTasks('harmonia/song-3', {});
			const tracks = tasks.map((task) => asObjects(task.tracks)[0]?.id);
			const parameters = { ...ofTasks(tasks), audioId: `={{ ${JSON.stringify(tracks)}[$json.n] }}` };
			const { items } = await call(place, { subtitleFormat: EACH }, { values: ['vtt', 'lrc'], parameters });
			const storage = await binaryStorage();
			const files = items.map(async ({ json, binary: { subtitles } = {} }) => {
				const text = subtitles ? String(await storage.getAsBuffer(subtitles)) : '';
				return [tracks.findIndex((id) => id === json.audioId), subtitles?.fileExtension, text.split('\n')[0]];
			});
			return await Promise.all(files);
		},
		right: ({ asTool }) => [
			[0, ...(asTool ? [undefined, ''] : ['vtt', 'WEBVTT'])],
			[1, ...(asTool ? [undefined, ''] : ['lrc', '[00:00.00]Rain 2'])],
		],
	},

	/** Whether the balance of ₽123.45 is below. */
	threshold: {
		see: async (place) => {
			gateway.control.setBalance('123.45');
			const { items } = await call(place, { threshold: EACH }, { values: [123.46, 123.45] });
			return items.map(({ json }) => json.lowBalance);
		},
		right: () => [true, false],
	},
};
