import type { EventMap } from '@countersign/contracts';
import type { Identity } from '../../approval/subject.js';
import type { PlacedEvent } from '../../call/evolve.js';
import { DAY_MS } from '../../durations.js';
import type { EndedSessions } from '../state/access.js';
import { type ConfigurationState, tenantPart } from '../state/configuration.js';

/** The longest life of a browser session that a gateway may be configured with. */
export const SESSION_LIFE_MAX_MS = 30 * DAY_MS;
/** Signed-out sessions that are remembered per person. One more ends every session of the person. */
const ENDED_MAX = 100;
const NO_EPOCH = -1;

type Person = Identity & { kind: string };

const personKey = ({ issuer, kind, id }: Person): string => JSON.stringify([issuer, kind, id]);

/** Forgets people whose sessions of that time have all reached their maximum age. */
function forgetOld(ended: Map<string, EndedSessions>, now_ms: number): void {
  for (const [key, { changed_at_ms }] of ended) {
    if (now_ms - changed_at_ms <= SESSION_LIFE_MAX_MS) return;
    ended.delete(key);
  }
}

/** One session ends, or the epoch of the person rises: then every session that started in an earlier epoch has ended. */
export function endSessions(state: ConfigurationState, event: EventMap['browser_sessions_ended'], { offset }: PlacedEvent): void {
  const { meta, principal, issuer, session_id, ended_at_ms } = event;
  const tenant = tenantPart(state, meta.tenant_id);
  tenant.ended_sessions ??= new Map();
  const all = tenant.ended_sessions;
  forgetOld(all, ended_at_ms);
  const key = personKey({ issuer, ...principal });
  const before = all.get(key) ?? { epoch: NO_EPOCH, session_ids: new Set<string>(), changed_at_ms: 0 };
  all.delete(key);
  const is_one = session_id !== null && before.session_ids.size < ENDED_MAX;
  all.set(
    key,
    is_one
      ? { ...before, session_ids: before.session_ids.add(session_id), changed_at_ms: Math.max(before.changed_at_ms, ended_at_ms) }
      : { epoch: offset, session_ids: new Set(), changed_at_ms: Math.max(before.changed_at_ms, ended_at_ms) },
  );
}

/** The epoch in which a session of this person starts now. */
export function sessionEpoch(state: ConfigurationState, tenant_id: string, person: Person): number {
  return state.by_tenant.get(tenant_id)?.ended_sessions?.get(personKey(person))?.epoch ?? NO_EPOCH;
}

/** True if the person has signed out of this session, or of all sessions since it started. */
export function isSessionEnded(
  state: ConfigurationState,
  tenant_id: string,
  person: Person,
  { session_id, epoch }: { session_id: string; epoch: number },
): boolean {
  const ended = state.by_tenant.get(tenant_id)?.ended_sessions?.get(personKey(person));
  return ended !== undefined && (epoch < ended.epoch || ended.session_ids.has(session_id));
}
