import type { Obligation } from '@countersign/contracts';
import type { TenantRulings } from '@countersign/decisions';
import { type ConfigurationState, catalogued, grantFor, limitsOf } from '@countersign/domain';
import { guardCall, isStricter, type ResolvedRuling } from '@countersign/policy';
import type { Authorised } from '../running/job.js';

const SILENCE_MAX_MS = 2000;

/** The configuration as this process folds it for itself. */
export interface OwnConfiguration {
  readonly state: ConfigurationState;
  /** Next offset of configuration-changed. */
  position(topic: 'configuration-changed'): number;
  silenceMs(topic: 'configuration-changed'): number;
}

export type Judgement = { kind: 'allowed' } | { kind: 'stricter'; ruling: ResolvedRuling };

const NOTHING: readonly Obligation[] = [];
const ALLOWED: Judgement = { kind: 'allowed' };

/**
 * Judges a call again at execution by this executor's own position in configuration-changed. Only what was ruled at an
 * older position is judged, and what rules with a clock are about: else the same configuration gives the same ruling.
 */
export class Judge {
  constructor(
    private readonly configuration: OwnConfiguration,
    private readonly rulings: TenantRulings,
    private readonly now_ms: () => number,
  ) {}

  /** Offset of the newest configuration record it knows, -1 for none. */
  get configOffset(): number {
    return this.configuration.state.config_offset;
  }

  /** It has not heard from configuration-changed for 2 s: nothing may fire. */
  get silent(): boolean {
    return this.configuration.silenceMs('configuration-changed') > SILENCE_MAX_MS;
  }

  judge({ call, meta, approvals, config_offset, waited = [] }: Authorised): Judgement {
    const { state } = this.configuration;
    // A contract drifts on tool-registered, which rulings name no position of.
    const settled = config_offset >= this.configOffset && state.drifted === 0;
    const known = catalogued(state, call.tool, call.version);
    if (!known) return ALLOWED;
    const { tenant_id } = meta;
    if (settled && !this.rulings.isTimed(state, tenant_id, known.contract)) return ALLOWED;
    const ruling = this.rulings.resolve(state, { tenant_id, tool: known, call, waited });
    // People were asked after the wait: what they granted does not wait again.
    const waitsAgain = ruling.effect === 'defer' && approvals > 0;
    const similar = ruling.effect === 'require_approval' && grantFor(state, tenant_id, { call, rule: ruling.rule, now_ms: this.now_ms() });
    if (!similar && !waitsAgain && isStricter(ruling, approvals)) return { kind: 'stricter', ruling };
    const on = { tenant_id, call, contract: known.contract, at_ms: call.requested_at_ms };
    const guard = guardCall(limitsOf(state, tenant_id), on);
    return guard ? { kind: 'stricter', ruling: { ...ruling, ...guard, effect: 'deny', tier: 'tier_3_blocked' } } : ALLOWED;
  }

  /** What of the result of a call is hidden before anything of it is written. */
  redactions({ call, meta }: Authorised): readonly Obligation[] {
    const { state } = this.configuration;
    const tool = catalogued(state, call.tool, call.version);
    return tool ? this.rulings.redactions(state, { tenant_id: meta.tenant_id, tool, call }) : NOTHING;
  }
}
