import type { RulingEffect, ToolCall } from '@countersign/contracts';
import type { RulingAsk, TenantRulings } from '@countersign/decisions';
import { type CallState, type ConfigurationState, catalogued } from '@countersign/domain';
import type { BundleText, ResolvedRuling } from '@countersign/policy';
import { isUnmappable, type TenantMappings } from '@countersign/process';

export type Difference = 'newly_denied' | 'newly_allowed' | 'approval_added' | 'approval_avoided' | 'newly_deferred';

/** A call with a different decision. */
export interface CallDifference {
  call_id: string;
  tool: string;
  case_id: string | null;
  difference: Difference;
  /** The recorded decision and its rule. */
  before: { effect: RulingEffect; rule: string; bundle_version: string };
  /** The decision of the draft, and the rule responsible. */
  after: { effect: RulingEffect; rule: string; why: string | null };
}

/** Time and configuration of the simulation. */
export interface SimulatedAt {
  made_at: string;
  config_offset: number;
  /** Version of the active bundle; null: none. */
  active: string | null;
}

export interface SimulationReport extends SimulatedAt {
  bundle_digest: string;
  /** Recorded calls that were evaluated. */
  calls: number;
  unchanged: number;
  /** Calls without their own decision, or of a tool that no longer exists. */
  left_out: number;
  /** Those of `left_out` whose data was erased, so they cannot be evaluated again. */
  erased: number;
  counts: Record<Difference, number>;
  differences: CallDifference[];
  /** True if there are more differences than shown. */
  truncated: boolean;
}

const DIFFERENCES_MAX = 1000;

function differenceOf(before: RulingEffect, after: RulingEffect): Difference | undefined {
  if (before === after) return undefined;
  if (after === 'deny') return 'newly_denied';
  if (after === 'defer') return 'newly_deferred';
  if (after === 'require_approval') return 'approval_added';
  return before === 'require_approval' ? 'approval_avoided' : 'newly_allowed';
}

/** Compares the decisions of a draft on recorded calls (current tools and facts, time of each request) with the recorded decisions. */
export class Simulation {
  readonly report: SimulationReport;

  constructor(
    private readonly by: { rulings: TenantRulings; mappings: TenantMappings },
    private readonly tenant_id: string,
    private readonly draft: BundleText,
    at: SimulatedAt,
  ) {
    const counts = { newly_denied: 0, newly_allowed: 0, approval_added: 0, approval_avoided: 0, newly_deferred: 0 };
    this.report = {
      ...at,
      bundle_digest: draft.digest,
      calls: 0,
      unchanged: 0,
      left_out: 0,
      erased: 0,
      counts,
      differences: [],
      truncated: false,
    };
  }

  /** `history_json`: the call history that its rules read (earlier-history.ts). */
  async judge(config: ConfigurationState, { call_id, call, ruling }: CallState, history_json?: string): Promise<void> {
    const recorded = ruling?.joined_call_id === null ? ruling : null;
    const tool = call ? catalogued(config, this.tenant_id, call.tool, call.version) : undefined;
    if (!call && ruling) this.report.erased++;
    if (!call || !recorded || !tool) {
      this.report.left_out++;
      return;
    }
    this.report.calls++;
    const { effect, rule, reason } = await this.resolved(config, { tenant_id: this.tenant_id, tool, call, history_json }, call);
    const difference = differenceOf(recorded.effect, effect);
    if (difference) this.note(call_id, call, difference, recorded, { effect, rule, why: reason?.message ?? null });
    else this.report.unchanged++;
  }

  /** The decision of the draft. Inputs that its caps lower are mapped as the call's own were, and evaluated again. */
  private async resolved(config: ConfigurationState, ask: RulingAsk, call: ToolCall): Promise<ResolvedRuling> {
    const { rulings, mappings } = this.by;
    const ruling = rulings.resolve(config, ask, this.draft, call.requested_at_ms);
    const { unmapped_json: inputs_json } = ruling;
    const mapped = inputs_json === undefined ? undefined : await mappings.otherInputs(this.tenant_id, call, inputs_json);
    if (inputs_json === undefined || !mapped || isUnmappable(mapped)) return ruling;
    return rulings.resolve(config, { ...ask, remapped: { inputs_json, mapped } }, this.draft, call.requested_at_ms);
  }

  private note(
    call_id: string,
    call: ToolCall,
    difference: Difference,
    before: CallDifference['before'],
    after: CallDifference['after'],
  ): void {
    this.report.counts[difference]++;
    if (this.report.differences.length >= DIFFERENCES_MAX) {
      this.report.truncated = true;
      return;
    }
    const { effect, rule, bundle_version } = before;
    const { tool, case_id } = call;
    this.report.differences.push({ call_id, tool, case_id, difference, before: { effect, rule, bundle_version }, after });
  }
}
