import { canonicalText, sha256Hex } from '@countersign/contracts';
import { nothingWhole, ObservedTerms, type ReadEvent, RecordedCalls, Redecision, unreproduced } from '@countersign/decisions';
import {
  type CallState,
  evolve,
  evolveConfiguration,
  evolveRulings,
  initialConfiguration,
  initialRulings,
  type PlacedEvent,
  type RulingState,
} from '@countersign/domain';
import { NO_CALL } from '@countersign/projector/folding/call-states';
import { callOf } from '@countersign/projector/folding/storable-event';
import { projections } from '@countersign/projector/projections/index';
import type { PendingRows } from '@countersign/projector/projections/projection';

/** JSON of folded state: maps and sets as lists, bytes as hex, no functions. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each: unknown) => {
      if (each instanceof Map) return [...each];
      if (each instanceof Set) return [...each];
      const bytes = each as { type?: string; data?: number[] } | null;
      return bytes?.type === 'Buffer' && Array.isArray(bytes.data) ? Buffer.from(bytes.data).toString('hex') : each;
    }) ?? 'null',
  );
}

const digest = (value: unknown): string => sha256Hex(canonicalText(plain(value)));

function statesOf(events: readonly PlacedEvent[]): Map<string, CallState> {
  const states = new Map<string, CallState>();
  for (const at of events) {
    const { call_id } = at.event.meta;
    if (call_id !== null) states.set(call_id, evolve(states.get(call_id), at));
  }
  return states;
}

function rulingsOf(events: readonly PlacedEvent[]): Map<number, RulingState> {
  const partitions = new Map<number, RulingState>();
  for (const at of events) {
    if (!/^(policy-decided|approval-granted|tool-executed)/.test(at.topic)) continue;
    const state = partitions.get(at.partition) ?? initialRulings();
    partitions.set(at.partition, state);
    evolveRulings(state, at, undefined);
  }
  return partitions;
}

/** What a projection would write of a whole journal at once: names of statements and their rows. */
function rowsOf(events: readonly PlacedEvent[], pending: PendingRows): unknown {
  const states = new Map<string, CallState>();
  for (const at of events) {
    const call_id = callOf(at);
    if (call_id === null) {
      pending.fold({ at, ...NO_CALL });
      continue;
    }
    const before = states.get(call_id);
    const after = evolve(before, at);
    states.set(call_id, after);
    const original = at.event_type === 'tool_retry_deduplicated' ? states.get(at.event.original_call_id) : undefined;
    pending.fold({ at, before, after, original });
  }
  return pending.statements().map(({ name, params }) => ({ name, params }));
}

/** Digest of every fold by its name: those of the domain, and each projection with its version. */
export function foldDigests(events: readonly PlacedEvent[]): Record<string, string> {
  const configuration = events.reduce(evolveConfiguration, initialConfiguration());
  const digests: Record<string, string> = {
    'domain/call': digest([...statesOf(events)].sort(([a], [b]) => (a < b ? -1 : 1))),
    'domain/configuration': digest({ ...configuration, changes: undefined }),
    'domain/configuration-changes': digest(configuration.changes),
    'domain/ruling': digest([...rulingsOf(events)].sort(([a], [b]) => a - b)),
  };
  for (const { set, empty } of projections) digests[`projection/${set.name}@${set.version}`] = digest(rowsOf(events, empty()));
  return digests;
}

/** Why calls of a journal cannot be decided again as they were; empty where all can. */
export function notReproduced(events: readonly ReadEvent[], tenant_id: string): string[] {
  const calls = new RecordedCalls();
  const terms = new ObservedTerms();
  const of = (...topics: string[]) => events.filter(({ topic }) => topics.includes(topic));
  for (const event of events) {
    if (event.event.meta.tenant_id !== tenant_id) continue;
    calls.add(event);
    terms.note(event);
  }
  const configuration = of('configuration-changed', 'tool-registered');
  const nothing = {
    as_recorded: new Set<string>(),
    whole: nothingWhole,
    erased: new Set<string>(),
    from_ms: 0,
    until_ms: events.at(-1)?.timestamp_ms ?? 0,
  };
  const recording = {
    tenant_id,
    calls,
    own: new Set(calls.ids()),
    configuration,
    trust: of('trust-view'),
    ...nothing,
    ...terms.or({ allow_for_ms: 900_000, grant_for_ms: 3_600_000 }),
  };
  const again = new Redecision(recording, []);
  while (again.step());
  const world = again.finish();
  return [...calls.ids()].flatMap((call_id) => {
    const why = calls.get(call_id) && unreproduced(world, call_id);
    return why === undefined ? [] : [`${call_id}: ${why}`];
  });
}
