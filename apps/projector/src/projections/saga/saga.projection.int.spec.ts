import { histories } from '@countersign/contracts/testing/histories';
import { evolveSaga, type PlacedEvent, type RunningSaga, type SagaFact, type SagaState, sagaStatusOf } from '@countersign/domain';
import { Seeded } from '@countersign/domain/testing/lanes/seeded';
import { randomUndo } from '@countersign/domain/testing/sagas/random-undo';
import { SimulatedSaga } from '@countersign/domain/testing/sagas/simulated-saga';
import { listSagas, listSagaTickets, PgliteStore, readSaga, stableTables } from '@countersign/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saga as projection } from './saga.projection.js';

const SEEDS = histories(40, 400);
const TABLES = stableTables(projection.set.tables.map(({ name }) => name));
let store: PgliteStore;
beforeAll(async () => {
  store = await PgliteStore.open({ memory: true });
});
afterAll(() => store.close());

/** A saga and how far its records are folded into the views. */
interface Told {
  saga_id: string;
  facts: readonly SagaFact[];
  at: number;
  state: SagaState;
}

/** Every fifth one undoes earlier calls. */
const simulated = (seed: number): SimulatedSaga => new SimulatedSaga(seed, undefined, seed % 5 === 0 ? randomUndo(seed) : []);

function placed({ saga_id }: Told, { event_type, body }: SagaFact, offset: number): PlacedEvent {
  const meta = {
    event_id: '',
    tenant_id: 'acme',
    call_id: null,
    attempt: 0,
    causation_id: null,
    correlation_id: '',
    hlc: offset,
    partition: 0,
  };
  const event = { meta, ...body, saga_id };
  return { topic: 'compensation', partition: 0, offset, timestamp_ms: 0, event_type, event } as unknown as PlacedEvent;
}

async function write(events: readonly PlacedEvent[]): Promise<void> {
  const pending = projection.empty();
  for (const at of events) pending.fold({ at, before: undefined, after: undefined, original: undefined });
  await store.atomically(pending.statements().map((statement) => TABLES.bind(statement)));
}

const key = (ticket: { ticket: string; step_id: string | null; call_id: string | null }) =>
  JSON.stringify([ticket.ticket, ticket.step_id, ticket.call_id]);
const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort();

/** What the domain says about a saga, in the words of the views. */
function expected({ saga_id, state, facts, at }: Told) {
  const saga = state as RunningSaga;
  const runs = [...saga.steps.values()].flatMap((step) => step.runs);
  return {
    ...{ saga_id, status: sagaStatusOf(saga), paused: saga.paused_until_ms !== null },
    tickets: sorted(saga.tickets.map(key)),
    skips: facts.slice(0, at).filter(({ event_type }) => event_type === 'saga_level_skipped').length,
    waits: sorted([...saga.waits].filter(([, { end }]) => end === null).map(([id]) => id)),
    runs: sorted(
      runs.map(({ call_id, end, undo }) => JSON.stringify([call_id, end?.status ?? null, end?.effect ?? null, undo?.state ?? null])),
    ),
  };
}

async function shown({ saga_id }: Told) {
  const found = await readSaga(store, 'acme', saga_id);
  if (!found) throw new Error(`no ${saga_id}`);
  const { saga, steps, waits, tickets, skips } = found;
  const calls = steps.filter(({ call_id }) => call_id !== null);
  return {
    ...{ saga_id, status: saga.status, paused: saga.paused },
    tickets: sorted(tickets.filter(({ closed_at_ms }) => closed_at_ms === null).map(key)),
    skips: skips.length,
    waits: sorted(waits.filter(({ ended_as }) => ended_as === null).map(({ step_id }) => step_id)),
    runs: sorted(calls.map(({ call_id, status, effect, undo_state }) => JSON.stringify([call_id, status, effect, undo_state]))),
  };
}

test(`status, tickets, waits and calls are those of the decider's fold after every write, also of repeated records (${SEEDS} sagas)`, async () => {
  const random = new Seeded(19);
  const told: Told[] = Array.from({ length: SEEDS }, (_, seed) => ({
    ...{ saga_id: `s${seed}`, facts: simulated(seed + 1).run(120).log, at: 0, state: undefined },
  }));
  let offset = 0;
  const statuses = new Set<string>();
  while (told.some(({ at, facts }) => at < facts.length)) {
    const events: PlacedEvent[] = [];
    for (const one of told) {
      const next = one.facts.slice(one.at, one.at + 1 + random.below(6));
      for (const fact of next) events.push(placed(one, fact, offset++));
      one.state = next.reduce(evolveSaga, one.state);
      one.at += next.length;
    }
    await write(events);
    if (random.oneIn(3)) await write(events);
    for (const one of told) {
      const now = await shown(one);
      expect(now).toEqual(expected(one));
      statuses.add(now.status);
    }
  }
  expect([...statuses].sort()).toEqual(
    ['aborted', 'awaiting_approval', 'compensated', 'compensating', 'compensation_failed', 'completed', 'pending', 'running'].sort(),
  );
  const { items } = await listSagas(store, { tenant_id: 'acme', status: ['compensation_failed'], limit: 500 });
  expect(items.map(({ saga_id }) => saga_id).sort()).toEqual(
    told
      .filter(({ state }) => state?.ended === 'compensation_failed')
      .map(({ saga_id }) => saga_id)
      .sort(),
  );
  const open = await listSagaTickets(store, { tenant_id: 'acme', is_open: true, limit: 500 });
  expect(open.items.every(({ ticket }) => ticket === 'late_effect')).toBe(true);
}, 120_000);
