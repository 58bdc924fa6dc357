import type { PlacedEvent } from '@countersign/domain';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { projections } from '../projections/index.js';
import { MemoryViews } from '../testing/memory-views.js';
import { courses, SampleHistory } from '../testing/sample-history.js';
import { CallStates } from './call-states.js';
import { PendingWrite } from './pending-write.js';

const own = { lane: 'shared', partition: 0, owner_id: 'me' };

function historyOf(picks: readonly { course: (typeof courses)[number]; case_id: string | null }[]): PlacedEvent[] {
  const history = new SampleHistory();
  history.openCase('c1', 'First');
  for (const { course, case_id } of picks) history.call(course, case_id);
  history.openCase('c1', null, 'closed');
  return history.events;
}

/** A reader of the history: topics interleaved by `turns`, cut into batches, written, and now and then restarted. */
class Reader {
  readonly views = new MemoryViews();
  private states = new CallStates(0);
  private pending = new PendingWrite(projections);
  private requestedHlc = 0;

  async batch(events: readonly PlacedEvent[]): Promise<void> {
    await this.states.load(this.views, events, this.requestedHlc);
    for (const at of events) {
      const { call_id, hlc } = at.event.meta;
      const change = call_id === null ? { before: undefined, after: undefined } : this.states.fold(at, call_id);
      this.pending.fold({ at, ...change });
      if (at.event_type === 'tool_call_requested') this.requestedHlc = Math.max(this.requestedHlc, hlc);
    }
  }

  write(restart: boolean): void {
    this.views.apply(this.pending.statements(own));
    this.states.written(this.pending.call_ids);
    this.pending = new PendingWrite(projections);
    if (restart) {
      const waiting = (this.views.rows().calls ?? []).filter((row) => row.requested_at_ms === 0).map((row) => row.hlc as number);
      this.states = new CallStates(Math.max(0, ...waiting));
    }
  }
}

/** Keeps the order inside each topic, gives every other order away. */
function shuffled(events: readonly PlacedEvent[], turns: readonly number[]): PlacedEvent[] {
  const topics = [...new Set(events.map((at) => at.topic))].map((topic) => events.filter((at) => at.topic === topic));
  const out: PlacedEvent[] = [];
  for (let n = 0; out.length < events.length; n++) {
    const open = topics.filter((topic) => topic.length > 0);
    const topic = open[(turns[n % turns.length] as number) % open.length] as PlacedEvent[];
    out.push(topic.shift() as PlacedEvent);
  }
  return out;
}

async function rowsOf(events: readonly PlacedEvent[], cuts: readonly { size: number; write: boolean; restart: boolean; again: boolean }[]) {
  const reader = new Reader();
  for (let from = 0, n = 0; from < events.length; n++) {
    const cut = cuts[n % cuts.length] as (typeof cuts)[number];
    const part = events.slice(from, from + cut.size);
    await reader.batch(part);
    if (cut.again && !cut.restart) await reader.batch(part);
    if (cut.write) reader.write(cut.restart);
    from += cut.size;
  }
  reader.write(false);
  return reader.views.rows();
}

const picks = fc.array(fc.record({ course: fc.constantFrom(...courses), case_id: fc.constantFrom('c1', null) }), {
  minLength: 1,
  maxLength: 3,
});
const cut = fc.record({ size: fc.integer({ min: 1, max: 8 }), write: fc.boolean(), restart: fc.boolean(), again: fc.boolean() });
const reading = fc.record({
  turns: fc.array(fc.nat(7), { minLength: 1, maxLength: 24 }),
  cuts: fc.array(cut, { minLength: 1, maxLength: 6 }),
});

describe('the views are a fold of the log', () => {
  test('every order that keeps each topic in order, every cut into batches, every repeat and restart gives the same rows', async () => {
    const READINGS = 20;
    await fc.assert(
      fc.asyncProperty(picks, fc.array(reading, { minLength: READINGS, maxLength: READINGS }), async (chosen, readings) => {
        const events = historyOf(chosen);
        const straight = JSON.stringify(await rowsOf(events, [{ size: events.length, write: true, restart: false, again: false }]));
        for (const { turns, cuts } of readings) {
          const rows = await rowsOf(shuffled(events, turns), cuts);
          if (JSON.stringify(rows) !== straight) expect(rows).toEqual(JSON.parse(straight));
        }
      }),
      { numRuns: 1_000 },
    );
  }, 60_000);
});
