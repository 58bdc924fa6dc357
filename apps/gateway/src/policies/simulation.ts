import type { RulingEffect, ToolCall } from '@countersign/contracts';
import type { TenantRulings } from '@countersign/decisions';
import { type CallState, type ConfigurationState, catalogued } from '@countersign/domain';
import type { BundleText } from '@countersign/policy';

export type Difference = 'newly_denied' | 'newly_allowed' | 'approval_added' | 'approval_avoided' | 'newly_deferred';

/** One call that would have been ruled otherwise. */
export interface CallDifference {
  call_id: string;
  tool: string;
  case_id: string | null;
  difference: Difference;
  /** What was ruled, and by which rule. */
  before: { effect: RulingEffect; rule: string; bundle_version: string };
  /** What the draft rules, and the rule responsible. */
  after: { effect: RulingEffect; rule: string; why: string | null };
}

/** When, and beside which configuration, calls were judged. */
export interface SimulatedAt {
  made_at: string;
  config_offset: number;
  /** Version of the bundle that was active; null: none. */
  active: string | null;
}

export interface SimulationReport extends SimulatedAt {
  bundle_digest: string;
  /** Recorded calls that were judged. */
  calls: number;
  unchanged: number;
  /** Calls without a ruling of their own, or of a tool that there is no more. */
  left_out: number;
  /** Of those left out: whose data was erased, so that nobody can judge them again. */
  erased: number;
  counts: Record<Difference, number>;
  differences: CallDifference[];
  /** There were more differences than are shown. */
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

/** What a draft would have ruled on recorded calls, with today's tools and facts and at the time of each request, against what was ruled. */
export class Simulation {
  readonly report: SimulationReport;

  constructor(
    private readonly rulings: TenantRulings,
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

  /** `history_json`: what its rules are told of earlier calls (earlier-history.ts). */
  judge(config: ConfigurationState, { call_id, call, ruling }: CallState, history_json?: string): void {
    const recorded = ruling?.joined_call_id === null ? ruling : null;
    const tool = call ? catalogued(config, call.tool, call.version) : undefined;
    if (!call && ruling) this.report.erased++;
    if (!call || !recorded || !tool) {
      this.report.left_out++;
      return;
    }
    this.report.calls++;
    const { effect, rule, reason } = this.rulings.resolve(
      config,
      { tenant_id: this.tenant_id, tool, call, history_json },
      this.draft,
      call.requested_at_ms,
    );
    const difference = differenceOf(recorded.effect, effect);
    if (difference) this.note(call_id, call, difference, recorded, { effect, rule, why: reason?.message ?? null });
    else this.report.unchanged++;
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
