import { EventLog, RecordsDropped } from '@countersign/event-log';
import { expect, test } from 'vitest';
import { startProjector } from '../start-projector.js';
import { PlatformOnDisk } from '../testing/platform-on-disk.js';
import { courses, SampleHistory } from '../testing/sample-history.js';
import { TestedChecks } from '../testing/state-checks.js';

const ROUNDS = 12;
const CALLS_A_ROUND = 60;

test('honest rows are never reported, during traffic, while the projector lags, restarts, and folds everything again', async () => {
  const platform = await PlatformOnDisk.open();
  const history = new SampleHistory();
  let projector = await startProjector(platform.deps, { lanes: ['shared'] });
  const checked = new TestedChecks(platform.log, platform.store);
  const sampler = checked.sampler(11);
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const from = history.events.length;
      for (let n = 0; n < CALLS_A_ROUND; n++) history.call(courses[n % courses.length]!, null);
      const events = history.events.slice(from);
      const half = Math.floor(events.length / 2);
      await platform.append(events.slice(0, half));
      const looking = sampler.look();
      await platform.append(events.slice(half));
      await looking;
      await sampler.look();
      if (round % 4 === 1) await projector.close();
      await sampler.look();
      if (round % 4 === 1) projector = await startProjector(platform.deps, { lanes: ['shared'] });
      if (round % 4 === 2)
        await platform.store.query({
          text: 'INSERT INTO projection_requests VALUES ($1, $2) ON CONFLICT (projection) DO UPDATE SET asked_offset = excluded.asked_offset',
          params: ['call', 1_000_000 + round],
        });
      await sampler.look();
      // A repeated record on the log changes nothing.
      if (round % 4 === 3) await platform.append(history.events.slice(from, from + 50));
    }
    await platform.folded();
    for (let n = 0; n < 20; n++) await sampler.look();
    expect(checked.found).toEqual([]);
    expect(await checked.compared('calls')).toBeGreaterThan(ROUNDS * 60);
  } finally {
    await projector.close();
    await platform.close();
  }
}, 120_000);

/** The log after retention has deleted all records before some of its own. */
function droppedBelow(log: EventLog, first: ReadonlyMap<string, number>): EventLog {
  const over: Partial<EventLog> = {
    first: async (topic) => first.get(topic) ?? 0,
    read: async (topic, partition, from, max) => {
      const left = first.get(topic) ?? 0;
      if (from < left) throw new RecordsDropped(topic, partition, from, left);
      return log.read(topic, partition, from, max);
    },
  };
  return new Proxy(log, {
    get: (to, name, left) => {
      if (name === 'since') return EventLog.prototype.since.bind(left);
      const value: unknown = Reflect.get(name in over ? over : to, name);
      return typeof value === 'function' && !(name in over) ? value.bind(to) : value;
    },
  });
}

test('rows of calls whose records were deleted are not reported, and a forged row of a remaining call is found', async () => {
  const platform = await PlatformOnDisk.open();
  const history = new SampleHistory();
  const ids = Array.from({ length: 120 }, (_, n) => history.call(courses[n % courses.length]!, null));
  await platform.append(history.events);
  const projector = await startProjector(platform.deps, { lanes: ['shared'] });
  try {
    await platform.folded();
    for (const part of [0.3, 0.5, 0.501, 0.502, 0.503, 0.7]) {
      const first = new Map<string, number>();
      for (const { topic, offset } of history.events.slice(0, Math.floor(history.events.length * part))) first.set(topic, offset + 1);
      const checked = new TestedChecks(droppedBelow(platform.log, first), platform.store);
      expect(await checked.look(Math.floor(part * 1_000), 25)).toEqual([]);
      expect(await checked.calls(0)).toEqual([]);
    }
    const forged = ids[99] as string;
    await platform.store.query({ text: `UPDATE calls SET status = 'denied' WHERE call_uuid = $1`, params: [forged.slice(2)] });
    const first = new Map([['tool-call-requested', 40]]);
    const checked = new TestedChecks(droppedBelow(platform.log, first), platform.store);
    expect(await checked.calls(0)).toEqual([expect.stringContaining(`call ${forged}: the row has status denied`)]);
  } finally {
    await projector.close();
    await platform.close();
  }
}, 120_000);
