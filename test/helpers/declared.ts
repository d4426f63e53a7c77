import { parameters as chatModel } from '../../nodes/ChatModel/fields';
import { registry as balance } from '../../nodes/Balance/operations';
import { registry as mediaTask } from '../../nodes/MediaTask/operations';
import { registry as storage } from '../../nodes/Storage/operations';
import { registry as textGeneration } from '../../nodes/TextGeneration/operations';
import type { Declarations, Parameter } from '../../nodes/shared/params/parameter';

/** A parameter, or an option of one. */
export interface Declared {
	name: string;
	/** The names of the collections around it, and its own. */
	path: readonly string[];
	parameter: Parameter<unknown>;
	traits: Parameter<unknown>['traits'];
	description: Parameter<unknown>['description'];
}

/** What an operation, or a node without operations, declares. */
export const declarations: Array<{ place: string; declared: Declarations }> = [
	...[balance, mediaTask, storage, textGeneration].flatMap((registry) =>
		registry.all.map(({ resource, name, declared }) => ({ place: `${resource}: ${name}`, declared })),
	),
	{ place: 'chat model', declared: chatModel },
];

/** All parameters that have a value of their own, also the options of collections and their groups. */
export function optionsIn(declared: Declarations, above: readonly string[] = []): Declared[] {
	return Object.entries(declared).flatMap(([name, parameter]) => {
		const { traits, description } = parameter;
		const path = [...above, name];
		if (traits.options) return optionsIn(traits.options, path);
		return description.type === 'notice' ? [] : [{ name, path, parameter, traits, description }];
	});
}
