import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { Balance } from '../../nodes/Balance/Balance.node.ts';
import { BalanceTrigger } from '../../nodes/BalanceTrigger/BalanceTrigger.node.ts';
import { ChatModel } from '../../nodes/ChatModel/ChatModel.node.ts';
import { MediaTask } from '../../nodes/MediaTask/MediaTask.node.ts';
import { MediaTaskTrigger } from '../../nodes/MediaTaskTrigger/MediaTaskTrigger.node.ts';
import { Storage } from '../../nodes/Storage/Storage.node.ts';
import { TextGeneration } from '../../nodes/TextGeneration/TextGeneration.node.ts';

/** The node types of the package, by their names within it. */
export const packageNodes = {
	textGeneration: new TextGeneration(),
	mediaTask: new MediaTask(),
	mediaTaskTrigger: new MediaTaskTrigger(),
	storage: new Storage(),
	balance: new Balance(),
	balanceTrigger: new BalanceTrigger(),
	chatModel: new ChatModel(),
} satisfies Record<string, INodeType>;

/** The version of a node that the editor adds. */
export function newestVersion({ version, defaultVersion }: INodeTypeDescription): number {
	return defaultVersion ?? Math.max(...[version].flat());
}
