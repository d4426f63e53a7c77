/** Past responses, so that `previous_response_id` can continue them (§4.1). */
import { ApiError } from '../../errors';
import type { ChatMessage } from '../types';

const maxKept = 1_000;

export class ResponseStore {
	private readonly kept = new Map<string, { account: string; turns: ChatMessage[] }>();

	keep(id: string, account: string, turns: ChatMessage[]): void {
		this.kept.set(id, { account, turns });
		const [oldest] = this.kept.keys();
		if (this.kept.size > maxKept && oldest !== undefined) this.kept.delete(oldest);
	}

	/** The turns up to that response; 404 when it is missing or not owned (§7.3). */
	turns(id: string, account: string): ChatMessage[] {
		const found = this.kept.get(id);
		if (found?.account !== account) throw new ApiError('model_not_found', `Response ${id} does not exist`);
		return found.turns;
	}

	clear(): void {
		this.kept.clear();
	}
}
