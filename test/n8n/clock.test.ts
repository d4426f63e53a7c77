import { clock } from '../../nodes/shared/n8n/clock';

it('gives the present time, chance in [0, 1), and waits', async () => {
	const before = Date.now();
	await clock.sleep(3);
	const now = clock.now();
	// Timers may fire a millisecond early.
	expect(now).toBeGreaterThanOrEqual(before + 2);
	expect(now).toBeLessThanOrEqual(Date.now());
	const chances = Array.from({ length: 20 }, () => clock.random());
	expect(chances.filter((chance) => chance >= 0 && chance < 1)).toHaveLength(20);
	expect(new Set(chances).size).toBeGreaterThan(1);
});
