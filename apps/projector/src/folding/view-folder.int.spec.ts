import { InfrastructureFault } from '@countersign/contracts';
import { PgliteStore, projectionPosition, readCall, type Store, stableTables } from '@countersign/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projections } from '../projections/index.js';
import { batchesOf } from '../testing/batches-of.js';
import { SampleHistory } from '../testing/sample-history.js';
import { ViewFolder } from './view-folder.js';

let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
});
afterAll(() => store.close());

const silent = { warn: () => undefined, error: () => undefined };
const member = (owner_id: string, of: Store = store) =>
  new ViewFolder({
    store: of,
    owner_id,
    projections,
    sink: silent,
    pace: { min_ms: 1, max_ms: 1, per_call_ms: 0, calls_max: 100 },
  });

describe('the members of the group', () => {
  test('a member that lost a partition writes nothing more of it, and the new owner continues from the rows', async () => {
    const history = new SampleHistory();
    const first = history.call('allowed', null);
    const old = member('old');
    await old.assigned('shared', [0]);
    await Promise.all(batchesOf(history.events).map((batch) => old.fold(batch)));
    await old.close();
    const stale = member('old');
    await stale.assigned('shared', [0]);
    const offsets = await member('new').assigned('shared', [0]);
    expect(offsets).toContainEqual({ topic: 'tool-call-requested', partition: 0, offset: 1 });
    const second = history.call('allowed', null);
    await Promise.all(batchesOf(history.events).map((batch) => stale.fold(batch)));
    await stale.close();
    expect((await readCall(store, 'acme', first))?.status).toBe('succeeded');
    expect(await readCall(store, 'acme', second)).toBeUndefined();
    expect((await projectionPosition(store)).find(({ topic }) => topic === 'tool-call-requested')?.next_offset).toBe(1);
  });

  test('a repeated batch is folded once, and one folded ahead of its request waits for it', async () => {
    const history = new SampleHistory();
    history.call('allowed', null);
    history.call('allowed', null);
    const id = history.call('granted', null);
    const folder = member('third');
    await folder.assigned('shared', [0]);
    const batches = batchesOf(history.events);
    const requests = batches.filter(({ topic }) => topic === 'tool-call-requested');
    for (const batch of batches) if (!requests.includes(batch)) await folder.fold(batch);
    await folder.close();
    expect(await readCall(store, 'acme', id)).toBeUndefined();
    const again = member('fourth');
    await again.assigned('shared', [0]);
    for (const batch of [...batches, ...batches]) await again.fold(batch);
    await again.close();
    expect((await readCall(store, 'acme', id))?.status).toBe('failed');
    const goes_on = await member('fifth').assigned('shared', [0]);
    expect(goes_on).toEqual(expect.arrayContaining(batches.map(({ topic, events }) => ({ topic, partition: 0, offset: events.length }))));
  });

  test('a write whose answer was lost counts once, although it is sent again', async () => {
    const history = new SampleHistory();
    history.call('allowed', null);
    expect(await usageOf(history, { lost: 1 })).toEqual(await usageOf(history, { lost: 0 }));
  });
});

/** The usage after a fold into an empty store that loses the answers to its first writes. */
async function usageOf(history: SampleHistory, { lost }: { lost: number }): Promise<unknown[]> {
  const empty = await PgliteStore.open({ memory: true });
  const atomically = empty.atomically.bind(empty);
  let answers = 0;
  empty.atomically = async (...args) => {
    const rows = await atomically(...args);
    if (++answers <= lost) throw new InfrastructureFault('no answer, although it was written');
    return rows;
  };
  const folder = member('lossy', empty);
  await folder.assigned('shared', [0]);
  await Promise.all(batchesOf(history.events).map((batch) => folder.fold(batch)));
  await folder.close();
  const rows = await empty.query(stableTables(['usage_hours']).bind({ name: 'usage', text: 'SELECT * FROM {usage_hours}', params: [] }));
  await empty.close();
  expect([answers > 0, rows.length]).toEqual([true, 1]);
  return rows;
}
