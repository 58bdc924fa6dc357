import type { BaseVersion, EventMap, EventType } from '@countersign/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlacedEvent } from '../../call/evolve.js';
import { evolveConfiguration } from '../evolve.js';
import { factsOf } from '../kinds/fact-tables.js';
import { limitsOf } from '../kinds/limits.js';
import { baseOf, type ChangeLedger, emptyLedger, judgeChange, NEVER_SET, versionOfItem } from './change-ledger.js';
import { type ConfigurationState, initialConfiguration } from './configuration.js';
import { itemNames } from './items.js';

const by = { kind: 'user' as const, id: 'root', roles: ['admin'] };

interface Written<T extends EventType> {
  event_id: string;
  based_on?: BaseVersion[];
  tenant_id?: string;
  fields: Partial<EventMap[T]>;
}

class Log {
  readonly events: PlacedEvent[] = [];

  write<T extends EventType>(event_type: T, { event_id, based_on = [], tenant_id = 'acme', fields }: Written<T>): PlacedEvent {
    const event = { meta: { tenant_id, event_id }, by, changed_at_ms: 1, ...fields, based_on };
    const at = { topic: 'configuration-changed', partition: 0, offset: this.events.length, timestamp_ms: 1 };
    this.events.push({ event_type, event, ...at } as unknown as PlacedEvent);
    return this.events.at(-1) as PlacedEvent;
  }
}

const facts = (table: string, rows: object, mode: 'replace' | 'merge' | 'drop' = 'replace'): Partial<EventMap['fact_table_set']> => ({
  table,
  mode,
  rows_json: JSON.stringify(rows),
  removed: [],
});
const fold = (events: readonly PlacedEvent[]): ConfigurationState => events.reduce(evolveConfiguration, initialConfiguration());
/** A state without the positions that it has read. */
const sayings = ({ config_offset: _read, policy_offset: _policy, changes, ...state }: ConfigurationState): unknown => [
  structuredClone(state),
  [...changes.versions],
];

test('of two changes that were checked against the same version, the first one on the log takes effect', () => {
  const log = new Log();
  log.write('fact_table_set', { event_id: 'e0', fields: facts('t', { a: 1 }) });
  const based_on = baseOf(fold(log.events).changes, 'acme', [itemNames.facts('t')]);
  expect(based_on).toEqual([{ item: 'facts/t', version: 0 }]);
  log.write('fact_table_set', { event_id: 'e1', based_on, fields: facts('t', { a: 2 }) });
  log.write('fact_table_set', { event_id: 'e2', based_on, fields: facts('t', { a: 3 }) });
  const state = fold(log.events);
  expect(factsOf(state, 'acme').get('t')?.rows.get('a')).toBe(2);
  expect([...state.changes.refused]).toEqual([2]);
  expect(versionOfItem(state.changes, 'acme', 'facts/t')).toBe(1);
});

test('a repeated event is the same change: its own effect does not refuse it, and it changes nothing', () => {
  const log = new Log();
  const based_on = [{ item: 'facts/t', version: NEVER_SET }];
  log.write('fact_table_set', { event_id: 'e1', based_on, fields: facts('t', { a: 1 }) });
  const once = fold(log.events);
  log.write('fact_table_set', { event_id: 'e1', based_on, fields: facts('t', { a: 1 }) });
  expect(fold(log.events).changes.refused.size).toBe(0);
  expect(sayings(fold(log.events))).toEqual(sayings(once));
  log.write('fact_table_set', { event_id: 'e2', based_on: [{ item: 'facts/t', version: 0 }], fields: facts('t', { a: 2 }) });
  const twice = fold(log.events);
  log.write('fact_table_set', { event_id: 'e1', based_on, fields: facts('t', { a: 1 }) });
  expect(sayings(fold(log.events))).toEqual(sayings(twice));
});

test('a change is refused if another item that it was checked against has changed: changed rows do not affect the list of tables, a new table does', () => {
  const log = new Log();
  log.write('fact_table_set', { event_id: 'e0', fields: facts('t', {}) });
  const publish = (event_id: string, based_on: BaseVersion[], version: string) =>
    log.write('policy_bundle_published', { event_id, based_on, fields: { version, bundle_json: '{}' } });
  const base = baseOf(fold(log.events).changes, 'acme', [itemNames.fact_tables]);
  log.write('fact_table_set', { event_id: 'e1', fields: facts('t', { a: 1 }, 'merge') });
  publish('e2', base, '1');
  log.write('fact_table_set', { event_id: 'e3', fields: facts('t', {}, 'drop') });
  publish('e4', base, '2');
  const { bundles } = fold(log.events).by_tenant.get('acme') as { bundles: { versions: Map<string, unknown> } };
  expect([...bundles.versions.keys()]).toEqual(['1']);
});

test('an item that is removed and created again has another version, and so has the item of another tenant', () => {
  const log = new Log();
  const limit = (event_id: string, removed: boolean, based_on: BaseVersion[] = [], tenant_id = 'acme') =>
    log.write('limit_set', { event_id, based_on, tenant_id, fields: { limit_id: 'l', version: 1, removed, max: 1 } });
  limit('e0', false);
  const base = baseOf(fold(log.events).changes, 'acme', ['limit/l']);
  limit('e1', true);
  limit('e2', false);
  limit('e3', true, base);
  expect(limitsOf(fold(log.events), 'acme')).toHaveLength(1);
  expect([...fold(log.events).changes.refused]).toEqual([3]);
  limit('e4', false, [{ item: 'limit/l', version: NEVER_SET }], 'evil');
  expect(limitsOf(fold(log.events), 'evil')).toHaveLength(1);
});

test('an issuer is an item of the whole installation: of two tenants that claim it concurrently only one gets it', () => {
  const log = new Log();
  const claim = (event_id: string, tenant_id: string) => {
    const fields = { provider_id: 'idp', issuer: 'https://id.example', audiences: ['a'], removed: false };
    log.write('identity_provider_set', {
      event_id,
      tenant_id,
      based_on: [{ item: '/issuer/https://id.example', version: NEVER_SET }],
      fields,
    });
  };
  claim('e0', 'acme');
  claim('e1', 'evil');
  expect(
    fold(log.events)
      .providers_by_issuer.get('https://id.example')
      ?.map(({ tenant_id }) => tenant_id),
  ).toEqual(['acme']);
});

/** A gateway that edits its own view, which may be behind the head of the log. */
interface Step {
  table: number;
  behind: number;
  kind: 'based' | 'unbased' | 'repeated' | 'dropped';
  value: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    table: fc.nat({ max: 2 }),
    behind: fc.nat({ max: 3 }),
    kind: fc.constantFrom('based', 'based', 'based', 'unbased', 'repeated', 'dropped'),
    value: fc.nat({ max: 99 }),
  }),
  { maxLength: 25 },
);

function written(all: readonly Step[]): Log {
  const log = new Log();
  for (const [n, { table, behind, kind, value }] of all.entries()) {
    const seen = fold(log.events.slice(0, Math.max(0, log.events.length - behind)));
    const based_on = kind === 'unbased' ? [] : baseOf(seen.changes, 'acme', [itemNames.facts(`t${table}`), itemNames.fact_tables]);
    const earlier = log.events[value % Math.max(1, log.events.length)];
    const fields = facts(`t${table}`, { value }, kind === 'dropped' ? 'drop' : 'replace');
    if (kind === 'repeated' && earlier) {
      const { meta, ...event } = earlier.event as EventMap['fact_table_set'];
      log.write('fact_table_set', { event_id: meta.event_id, based_on: event.based_on ?? [], fields: event });
    } else log.write('fact_table_set', { event_id: `e${n}`, based_on, fields });
  }
  return log;
}

test('whatever is delivered twice, and wherever a service restarts, all services reach the same state', () => {
  fc.assert(
    fc.property(steps, fc.infiniteStream(fc.nat({ max: 4 })), (all, again) => {
      const { events } = written(all);
      const delivered: PlacedEvent[] = [];
      for (const [at, event] of events.entries()) delivered.push(event, ...events.slice(Math.max(0, at - (again.next().value ?? 0)), at));
      const once = fold(events);
      expect(structuredClone(fold(delivered))).toEqual(structuredClone(once));
      const ledger = emptyLedger();
      for (const at of delivered) judgeChange(ledger, at);
      expect(ledger).toEqual(once.changes);
    }),
    { numRuns: 500 },
  );
});

test('a change whose base moved has no effect; one whose base is unchanged applies', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { events } = written(all);
      const known: ChangeLedger = emptyLedger();
      let before = fold([]);
      for (const [n, at] of events.entries()) {
        const { based_on = [], table, mode } = at.event as EventMap['fact_table_set'];
        const stands = based_on.every(({ item, version }) => versionOfItem(known, 'acme', item) === version);
        const verdict = judgeChange(known, at);
        const after = fold(events.slice(0, n + 1));
        if (verdict === 'applied') expect([stands, factsOf(after, 'acme').has(table)]).toEqual([true, mode !== 'drop']);
        else expect(sayings(after)).toEqual(sayings(before));
        expect(after.changes.refused.has(n)).toBe(verdict === 'refused');
        before = after;
      }
    }),
    { numRuns: 300 },
  );
});
