import { setTimeout as sleep } from 'node:timers/promises';
import { firstMeta } from '@countersign/contracts';
import { createLogger, KnownDamage, systemClock } from '@countersign/process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Rig } from './testing/rig.js';

/** Far longer than the 20 ms in which an allowed call runs. */
const LONG_ENOUGH_MS = 700;
let rig: Rig;
let damage: KnownDamage;

beforeEach(async () => {
  rig = await Rig.open();
  damage = new KnownDamage({ log: rig.log, codec: rig.codec, clock: systemClock, logger: createLogger('executor', 'silent') });
  await damage.start();
  await rig.start({}, { damage });
});
afterEach(async () => {
  await damage.close();
  await rig.close();
});

async function find(fields: { topic?: string; tenant_id?: string }): Promise<void> {
  const before = damage.state.open.size;
  damage.found({ kind: 'log', found_by: 'fold', partition: 1, reason: `another record in ${JSON.stringify(fields)}`, ...fields });
  await rig.until(() => damage.state.open.size > before);
}

async function accept(): Promise<void> {
  const meta = firstMeta('default', Date.now());
  const by = { kind: 'user' as const, id: 'olga', roles: ['operator'] };
  const damage_ids = [...damage.state.open.keys()];
  await rig.put('damage_accepted', [{ meta, damage_ids, reason: 'restored', by, accepted_at_ms: Date.now(), opened: [] }]);
  await rig.until(() => damage.open.length === 0);
}

test.each(['faulty_write', 'faulty_read'])(
  'a call of %s waits while the record of its tenant is damaged, and runs once it is accepted',
  async (tool) => {
    await find({ topic: 'policy-decided' });
    const ruling = await rig.allow(tool, 'held');
    await sleep(LONG_ENOUGH_MS);
    expect([rig.world.faulty.runsOf('held'), (await rig.executed()).length]).toEqual([0, 0]);
    await accept();
    expect((await rig.end(ruling)).event.outcome).toMatchObject({ status: 'succeeded' });
    expect(rig.world.faulty.runsOf('held')).toBe(1);
  },
);

test('damage of another lane or of a row of another tenant holds no call', async () => {
  await find({ topic: 'policy-decided.bulk' });
  await find({ topic: 'tool-executed', tenant_id: 'another' });
  expect((await rig.end(await rig.allow('faulty_write', 'free'))).event.outcome).toMatchObject({ status: 'succeeded' });
});

test('a waiting call can be cancelled meanwhile, and never runs', async () => {
  await find({ topic: 'configuration-changed' });
  const ruling = await rig.allow('faulty_write', 'cancelled');
  await sleep(LONG_ENOUGH_MS);
  await rig.cancel(ruling);
  await accept();
  expect((await rig.end(ruling)).event.outcome).toMatchObject({ status: 'cancelled' });
  expect(rig.world.faulty.runsOf('cancelled')).toBe(0);
});
