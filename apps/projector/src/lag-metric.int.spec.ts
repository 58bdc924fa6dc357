import type { EventLog } from '@countersign/event-log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ViewFolder } from './folding/view-folder.js';
import { lagBehind } from './lag-metric.js';
import { projections } from './projections/index.js';
import { batchesOf } from './testing/batches-of.js';
import { PlatformOnDisk } from './testing/platform-on-disk.js';
import { SampleHistory } from './testing/sample-history.js';

let platform: PlatformOnDisk;
beforeAll(async () => {
  platform = await PlatformOnDisk.open();
});
afterAll(() => platform.close());

const sink = { warn: () => undefined, error: () => undefined };
const rows_later = { min_ms: 600_000, max_ms: 600_000, per_call_ms: 0, calls_max: 1000 };
const member = (owner_id: string) => new ViewFolder({ store: platform.store, owner_id, projections, sink, pace: rows_later });

test('folded records count as lag until their rows are written', async () => {
  const history = new SampleHistory();
  history.call('allowed', null);
  const requests = history.events.filter(({ topic }) => topic === 'tool-call-requested');
  await platform.append(history.events);
  const behind = async (folder: ViewFolder) => (await lagBehind(platform.deps.log, folder.shown())).filter(({ records }) => records > 0);

  const first = member('first');
  await first.assigned('shared', [0]);
  const unread = await behind(first);
  expect(unread).toContainEqual({ topic: 'tool-call-requested', partition: 0, records: requests.length });
  for (const batch of batchesOf(history.events)) void first.fold(batch);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await behind(first)).toEqual(unread);

  await first.close();
  const second = member('second');
  await second.assigned('shared', [0]);
  expect(await behind(second)).toEqual([]);
  await second.close();
});

test('a log that does not respond makes the lag unknown, and delays nothing', async () => {
  const mute = { head: () => new Promise(() => undefined) } as unknown as EventLog;
  const shown = { topic: 'tool-executed', partition: 1, next_offset: 7 };
  expect(await lagBehind(mute, [shown], 10)).toEqual([{ topic: 'tool-executed', partition: 1, records: Number.NaN }]);
});
