import type { Duration, EndpointGroup, Settings, SettingsPatch } from './types';

export function defaultSettings(): Settings {
	return {
		latency: {},
		taskDuration: { image: 1500, audio: 2000, music: 3000, video: 4000 },
		taskFailure: null,
		failedTasksAreFree: false,
		callbacks: { mode: 'on', copies: 1, delayMs: 0 },
		render: 'full',
		balanceShape: 'amount',
		stream: {},
		requestCeilingMs: 300_000,
		rateLimit: null,
	};
}

export class SettingsStore {
	current: Settings;

	constructor(private readonly initial: SettingsPatch = {}) {
		this.current = merge(defaultSettings(), initial);
	}

	configure(patch: SettingsPatch): Settings {
		this.current = merge(this.current, patch);
		return structuredClone(this.current);
	}

	reset(): void {
		this.current = merge(defaultSettings(), this.initial);
	}

	/** How long a request of the group waits before it is worked on, in milliseconds. */
	latency(group: EndpointGroup): number {
		const { latency } = this.current;
		return drawDuration(latency[group] ?? latency.all ?? 0);
	}
}

function merge(settings: Settings, patch: SettingsPatch): Settings {
	return structuredClone({
		...settings,
		...patch,
		taskDuration: { ...settings.taskDuration, ...patch.taskDuration },
		callbacks: { ...settings.callbacks, ...patch.callbacks },
	});
}

export function drawDuration(duration: Duration): number {
	if (typeof duration === 'number') return duration;
	const [min, max] = duration;
	return min + Math.random() * (max - min);
}
