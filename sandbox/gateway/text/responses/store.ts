/** Past responses, so that `previous_response_id` can continue them (§4.1). */
import { ApiError } from '../../errors';
import type { ChatMessage } from '../types';

const maxKept = 1_000;

export class ResponseStore {
	private readonly kept = new Map<string, { account: string; messages: ChatMessage[] }>();

	keep(id: string, account: string, messages: ChatMessage[]): void {
		this.kept.set(id, { account, messages });
		const [oldest] = this.kept.keys();
		if (this.kept.size > maxKept && oldest !== undefined) this.kept.delete(oldest);
	}

	/** The messages up to that response; 404 when it is missing or not owned (§7.3). */
	messages(id: string, account: string): ChatMessage[] {
		const found = this.kept.get(id);
		if (found?.account !== account) throw new ApiError('model_not_found', `Response ${id} does not exist`);
		return found.messages;
	}

	clear(): void {
		this.kept.clear();
	}
}
