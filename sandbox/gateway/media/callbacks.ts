/** Completion callbacks (§6.4). Body, headers, retries and signing are not shown: receivers must not rely on them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { drawDuration, type SettingsStore } from '../control/settings';
import type { CallbackRecord, ForgedCallback } from '../control/types';

export class CallbackSender {
	private records: CallbackRecord[] = [];
	private readonly stopping = new AbortController();

	constructor(private readonly settings: SettingsStore) {}

	/** Sends a task's callback by the settings: late, several times, or not at all. */
	async announce(taskId: string, url: string, body: unknown): Promise<void> {
		const { mode, copies, delayMs } = this.settings.current.callbacks;
		if (mode === 'off') return;
		const pause = drawDuration(delayMs);
		if (pause > 0 && !(await this.wait(pause))) return;
		for (let copy = 0; copy < copies; copy += 1) await this.send(taskId, { url, body }, false);
	}

	/** Sends one callback and records the receiver's response; never throws. */
	async send(taskId: string | null, callback: ForgedCallback, forged: boolean): Promise<CallbackRecord> {
		const { url, body } = callback;
		const sentAt = Date.now();
		const record: CallbackRecord = { taskId, url, sentAt, body, status: null, error: null, forged };
		this.records.push(record);
		try {
			const response = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', 'user-agent': 'ai-gateway-callback/1.0' },
				body: JSON.stringify(body),
				redirect: 'manual',
				signal: AbortSignal.any([this.stopping.signal, AbortSignal.timeout(10_000)]),
			});
			await response.arrayBuffer();
			record.status = response.status;
		} catch (error) {
			record.error = error instanceof Error ? error.message : String(error);
		}
		return record;
	}

	list(): CallbackRecord[] {
		return this.records.map((record) => ({ ...record }));
	}

	clear(): void {
		this.records = [];
	}

	stop(): void {
		this.stopping.abort();
	}

	/** False when the gateway stops meanwhile. */
	private async wait(ms: number): Promise<boolean> {
		return await sleep(ms, true, { signal: this.stopping.signal }).catch(() => false);
	}
}
