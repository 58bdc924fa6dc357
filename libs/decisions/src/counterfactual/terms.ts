import { holderOf, personLinkPeriods, standingFor } from '@countersign/domain';
import { BUILT_IN_VERSION } from '@countersign/policy';
import type { DecisionTerms } from '../decide-record.js';
import type { SimulatedWorld } from './simulated-world.js';

/** The terms of all decisions at the current time of a world. */
export function termsOf({ now_ms, recording, history }: SimulatedWorld): DecisionTerms {
  const { allow_for_ms, grant_for_ms } = recording;
  const standing: DecisionTerms['standing'] = (approval, to, at_ms) => {
    const { meta, call } = holderOf(approval);
    return standingFor(history.asOf(at_ms), meta.tenant_id, { to, tool: call.tool, now_ms: at_ms });
  };
  const person_links: DecisionTerms['person_links'] = (approval, at_ms) =>
    personLinkPeriods(history.asOf(at_ms), holderOf(approval).meta.tenant_id);
  // A voter counts as live unless the record shows a refusal for that reason: older records have no tokens of people.
  const roles_left: DecisionTerms['roles_left'] = (vote) => (recording.calls.wasNotLive(vote) ? () => undefined : (_who, roles) => roles);
  return { now_ms, bundle_version: BUILT_IN_VERSION, allow_for_ms, grant_for_ms, standing, roles_left, person_links };
}
