import type { Completion } from '../shared/gateway/text/formats/completion';
import type { Message, ToolChoice, ToolDefinition } from '../shared/gateway/text/formats/request';

/** The longest name of a tool, in characters. */
const MAX_LENGTH = 64;

/** A name as vendors take it: letters from A to Z, digits, underscores and dashes. n8n renames its nodes in this way, too. */
function allowed(name: string): string {
	const renamed = name.replace(/[^\w-]+/g, '_').slice(0, MAX_LENGTH);
	return /[a-z\d]/i.test(renamed) ? renamed : 'tool';
}

/** The names of tools in requests: the agent has its own for those that vendors refuse. */
export class ToolNames {
	private readonly sent = new Map<string, string>();
	private readonly own = new Map<string, string>();

	/** @param reserved names of other tools of the request */
	constructor(names: readonly string[], reserved: readonly string[]) {
		const taken = new Set(reserved);
		// Names that stay come first: no other gets them.
		const isKept = (name: string) => name === allowed(name) && !taken.has(name);
		for (const name of [...names.filter(isKept), ...names]) {
			if (this.sent.has(name)) continue;
			const base = allowed(name);
			let free = base;
			for (let count = 2; taken.has(free); count += 1)
				free = `${base.slice(0, MAX_LENGTH - String(count).length - 1)}_${count}`;
			taken.add(free);
			this.sent.set(name, free);
			this.own.set(free, name);
		}
	}

	/** Also for a tool that the agent does not have any more. */
	private sentName(name: string): string {
		return this.sent.get(name) ?? allowed(name);
	}

	/** A tool under the name that is sent, with its own in the description. */
	tool(tool: ToolDefinition): ToolDefinition {
		const name = this.sentName(tool.name);
		if (name === tool.name) return tool;
		return { ...tool, name, description: `${tool.name}: ${tool.description ?? ''}` };
	}

	message(message: Message): Message {
		if (message.role === 'tool' || !message.toolCalls) return message;
		const toolCalls = message.toolCalls.map((call) => ({ ...call, name: this.sentName(call.name) }));
		return { ...message, toolCalls };
	}

	choice(choice: ToolChoice | undefined): ToolChoice | undefined {
		return typeof choice === 'object' ? { name: this.sentName(choice.name) } : choice;
	}

	/** A completion whose tool calls have the names that the agent knows. */
	completion(completion: Completion): Completion {
		const toolCalls = completion.toolCalls.map((call) => ({
			...call,
			name: this.own.get(call.name) ?? call.name,
		}));
		return { ...completion, toolCalls };
	}
}
