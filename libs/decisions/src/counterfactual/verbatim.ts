import type { EventMap, LimitReservation } from '@countersign/contracts';
import { Counters, catalogued, limitsOf, reserveFor } from '@countersign/domain';
import { demandsOf } from '@countersign/policy';
import type { ReadEvent } from '../read-event.js';
import { changesOf } from './change.js';
import type { SimulatedWorld } from './simulated-world.js';

/** The reservations of a recorded ruling: as recorded, except those of changed limits, which are computed again. */
function heldOf(world: SimulatedWorld, decided: EventMap['policy_decided'], at_ms: number): readonly LimitReservation[] {
  const changed = new Set(changesOf(world.changes, 'limit').map(({ limit }) => limit.limit_id));
  if (changed.size === 0 || decided.effect === 'deny' || decided.joined_call_id !== null) return decided.reservations;
  const kept = decided.reservations.filter(({ limit_id }) => !changed.has(limit_id));
  const { tenant_id } = decided.meta;
  const config = world.history.at(decided.config_offset, at_ms);
  const tool = catalogued(config, tenant_id, decided.call.tool, decided.call.version);
  const demands = tool ? demandsOf(limitsOf(config, tenant_id), { tenant_id, call: decided.call, contract: tool.contract, at_ms }) : [];
  if ('rule' in demands) return kept;
  const wanted = demands
    .filter(({ limit_id }) => changed.has(limit_id))
    .map((demand) => ({ ...demand, max_micro: Number.MAX_SAFE_INTEGER }));
  const ask = { call_id: decided.meta.call_id as string, revision: decided.revision, at_ms, demands: wanted };
  const verdict = reserveFor(new Counters(new Map()), ask, undefined);
  return verdict.kind === 'reserved' ? [...kept, ...verdict.reservations] : kept;
}

/** Applies an event of a call that keeps its recorded course, including its key and its reservations. */
export function verbatim(world: SimulatedWorld, event: ReadEvent): void {
  const call_id = event.event.meta.call_id as string;
  switch (event.event_type) {
    case 'policy_decided': {
      const reservations = heldOf(world, event.event, event.timestamp_ms);
      world.fold({ ...event, event: { ...event.event, reservations: [...reservations] } });
      if (event.event.effect !== 'deny') world.limits.restore(call_id, event.event.revision, reservations);
      return;
    }
    case 'tool_call_started': {
      const call = world.calls.get(call_id)?.call;
      if (call) world.keys.claim(call_id, call, event.event.also);
      world.fold(event);
      return;
    }
    case 'tool_executed':
    case 'tool_call_in_doubt':
    case 'tool_call_resolved':
      world.fold(event);
      world.keys.end(call_id, event.event.outcome, event.timestamp_ms);
      return;
    default:
      world.fold(event);
  }
}
