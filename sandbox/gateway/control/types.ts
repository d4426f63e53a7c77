import type { MediaType } from '../catalogue/mediaModels';
import type { controlView } from '../media/task';
import type { Duration, StreamFault } from './faultTypes';
import type { EndpointGroup } from './requestTypes';

export type * from './faultTypes';
export type * from './requestTypes';

export interface RateLimit {
	/** 429 `rate_limit_exceeded`. */
	requestsPerMinute?: number;
	/** 429 `token_limit_exceeded`, for text calls. */
	tokensPerMinute?: number;
	/** The window in place of a minute, so that tests need not wait; default 60 000. */
	windowMs?: number;
	/** Form of the Retry-After header; default `seconds`. */
	retryAfter?: 'seconds' | 'date' | 'none';
}

export interface CallbackSettings {
	/** `off`: none is sent. */
	mode: 'on' | 'off';
	/** How often each callback is sent; default 1. */
	copies: number;
	/** Pause between the end of the task and the callback. */
	delayMs: Duration;
}

export interface Settings {
	/** Added before a request of the group is worked on; `all` is for groups without an own value. */
	latency: Partial<Record<EndpointGroup | 'all', Duration>>;
	/** Creation to end of a media task, per media type. */
	taskDuration: Record<MediaType, Duration>;
	/** The next tasks that are created fail with this; `times` 0 means all. */
	taskFailure: { code: string; message: string; times: number } | null;
	/** Whether a task that fails gives back what it cost: the specification does not show it. */
	failedTasksAreFree: boolean;
	callbacks: CallbackSettings;
	/** `placeholder` gives small files at once, for load runs; `full` draws, plays and films the prompt. */
	render: 'full' | 'placeholder';
	/** The two shapes of §2.8. */
	balanceShape: 'amount' | 'currencies';
	/** Disturbances of every stream (a fault rule comes on top). */
	stream: StreamFault;
	/** §8: 300 seconds per request, then 504 `gateway_timeout`. Streams are exempt. */
	requestCeilingMs: number;
	rateLimit: RateLimit | null;
}

/** A part of the settings: `taskDuration` and `callbacks` are merged, everything else is replaced. */
export interface SettingsPatch extends Partial<Omit<Settings, 'taskDuration' | 'callbacks'>> {
	taskDuration?: Partial<Settings['taskDuration']>;
	callbacks?: Partial<CallbackSettings>;
}

export interface LedgerEntry {
	/** Unix milliseconds. */
	time: number;
	account: string;
	kind: 'text' | 'media';
	endpoint: string;
	model: string;
	/** Rubles, decimal string. */
	amount: string;
	requestId: string;
	taskId?: string;
	idempotencyKey?: string | undefined;
}

export interface Concurrency {
	inFlight: number;
	max: number;
	groups: Partial<Record<EndpointGroup, { inFlight: number; max: number }>>;
}

export interface CallbackRecord {
	taskId: string | null;
	url: string;
	sentAt: number;
	body: unknown;
	/** Status of the receiver's response; null when it could not be reached. */
	status: number | null;
	error: string | null;
	forged: boolean;
}

export interface ForgedCallback {
	url: string;
	body: unknown;
}

export interface KeyView {
	key: string;
	account: string;
	status: 'active' | 'revoked' | 'expired';
}

export type TaskView = ReturnType<typeof controlView>;

/** A file of any size whose bytes are generated while they are sent. */
export interface BigFileOptions {
	size: number;
	/** Default `video/mp4`. */
	mimeType?: string;
	filename?: string;
}

export interface BigFile {
	id: string;
	url: string;
	size: number;
}
