import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

const HOUR_MS = 3_600_000;
let rig: Rig;
beforeEach(async () => {
  rig = await Rig.open();
});
afterEach(() => rig.close());

describe.each([HOUR_MS, -HOUR_MS])('an executor whose clock is off by %d ms', (skew_ms) => {
  test('runs a fresh grant, and none that has expired by the log', async () => {
    const clock = { now_ms: () => Date.now() + skew_ms, monotonic_ms: () => performance.now() };
    await rig.start({}, { clock });
    const fresh = rig.ruling('blind_write', 'fresh');
    await rig.put('approval_granted', [rig.grant(fresh, ['ann'], { execute_before_ms: Date.now() + HOUR_MS / 2 })]);
    expect(await rig.end(fresh)).toMatchObject({ event: { outcome: { status: 'succeeded' } } });
    const old = rig.ruling('blind_write', 'old');
    await rig.put('approval_granted', [rig.grant(old, ['ann'], { execute_before_ms: Date.now() - HOUR_MS / 2 })]);
    expect(await rig.end(old)).toMatchObject({ event: { outcome: { status: 'expired', effect: 'none' } } });
    expect(rig.world.effects.map((effect) => effect.name)).toEqual(['fresh']);
  });
});
