import { callError, type Meta, type ToolCall } from '@countersign/contracts';
import {
  type ConfigurationState,
  catalogued,
  type GivenPart,
  limitsOf,
  mappingAt,
  partsRequested,
  personLinksOf,
  unansweredPart,
} from '@countersign/domain';
import { guardCall, isSetUndo, isStricter, type ResolvedRuling } from '@countersign/policy';
import { grantsOn } from './grants.js';
import type { TenantRulings } from './tenant-rulings.js';

/** The fields of a call that are needed to judge it again before it runs. */
export interface AuthorisedCall {
  meta: Pick<Meta, 'tenant_id'>;
  call: ToolCall;
  /** The granted parts; empty: no approval was required. */
  given: readonly GivenPart[];
  /** Offset in configuration-changed of its ruling; null: unknown, so the call is judged again. */
  config_offset: number | null;
  /** Deferring rules whose wait is over; absent: none. */
  waited?: readonly string[];
  /** The call history that its rules used; they get the same again. */
  history_json?: string | undefined;
}

/** The ruling that refuses a call that was allowed before. */
export type StricterRuling = Pick<ResolvedRuling, 'reason' | 'rule' | 'tier'>;

export type AgainJudged = { kind: 'allowed' } | { kind: 'stricter'; ruling: StricterRuling };

/** For a call with a mapping whose mapped form no ruling judged: its ruling is from before mappings were applied at admission. */
export const UNMAPPED: AgainJudged = {
  kind: 'stricter',
  ruling: {
    rule: 'mapping.not_judged',
    tier: 'tier_3_blocked',
    reason: callError('POLICY_DENIED', 'policy has not judged the mapped form of the inputs', {
      details: { rule: 'mapping.not_judged' },
    }),
  },
};

/** True if a mapping was in force when the call was requested, but the mapped form is not recorded. */
export function lacksMappedForm(state: ConfigurationState, tenant_id: string, call: ToolCall): boolean {
  return !call.mapped && mappingAt(state, tenant_id, call.tool, call.requested_at_ms) !== undefined;
}

const ALLOWED: AgainJudged = { kind: 'allowed' };

/**
 * Judges a call again before it fires, by the current configuration. Skipped if the ruling is from the same configuration and no timed rule
 * applies, because the result would be the same.
 */
export function judgedAgain(
  rulings: TenantRulings,
  state: ConfigurationState,
  { call, meta, given, config_offset, waited = [], history_json }: AuthorisedCall,
  now_ms: number,
): AgainJudged {
  // A contract drifts on tool-registered, whose position is not in rulings.
  const settled = config_offset !== null && config_offset >= state.config_offset && state.drifted === 0;
  const { tenant_id } = meta;
  const known = catalogued(state, tenant_id, call.tool, call.version);
  if (!known) return ALLOWED;
  if (settled && !rulings.isTimed(state, tenant_id, known.contract)) return ALLOWED;
  const ruling = rulings.resolve(state, { tenant_id, tool: known, call, waited, history_json });
  // Approval is requested after the wait, so a granted call does not wait again.
  const waitsAgain = ruling.effect === 'defer' && given.length > 0;
  const requestedParts = ruling.effect === 'require_approval' ? partsRequested(ruling) : [];
  const grants = requestedParts.length > 0 ? grantsOn(state, tenant_id, { call, contract: known.contract, now_ms }, ruling) : undefined;
  const unanswered = unansweredPart(
    requestedParts.filter(({ rule }) => !grants?.has(rule)),
    given,
    personLinksOf(state, tenant_id),
  );
  if (!waitsAgain && (unanswered || isStricter(ruling))) return { kind: 'stricter', ruling };
  const on = { tenant_id, call, contract: known.contract, at_ms: call.requested_at_ms };
  if (isSetUndo(call.compensates?.kind)) return ALLOWED;
  const guard = guardCall(limitsOf(state, tenant_id), on);
  return guard ? { kind: 'stricter', ruling: { ...ruling, ...guard, tier: 'tier_3_blocked' } } : ALLOWED;
}
