import type { EventMap, ToolCall } from '@countersign/contracts';
import { type CallState, type ConfigurationState, catalogued } from '@countersign/domain';
import type { TrustSubject } from '@countersign/policy';
import type { TenantRulings } from '../tenant-rulings.js';
import type { SimulatedWorld, UnknownBecause } from './simulated-world.js';
import { RecordedStandings } from './standings.js';

/** The facts of a call that change the trust in its tool, provider and agent: the end of its run and of its approval. */
function movedBy(state: CallState | undefined): string {
  const ran = state?.end ?? state?.doubt;
  const run = ran && ran.kind !== 'deduplicated' && ran.outcome.effect !== 'none' ? [ran.outcome.status, ran.outcome.duration_ms] : null;
  const failed = ran?.kind === 'executed' && ran.outcome.status === 'failed' ? ran.outcome.error?.code : null;
  return JSON.stringify([run, failed ?? null, state?.approval_end?.kind ?? null]);
}

/** Does not compute trust scores again. If a rule uses a score that affected calls would have changed, the ruling is unknown. */
export class SimulatedTrust {
  private readonly recorded = new RecordedStandings();

  constructor(
    private readonly world: SimulatedWorld,
    private readonly rulings: TenantRulings,
  ) {}

  /** Why the trust that the rules use is unknown; undefined if it equals the recorded one or no rule uses it. */
  whyUnknown(tenant_id: string, call_id: string, call: ToolCall, config: ConfigurationState): UnknownBecause | undefined {
    const { changes, affected, recording, now_ms, records, calls } = this.world;
    if (changes.length === 0 || affected.size === 0) return undefined;
    const tool = catalogued(config, tenant_id, call.tool, call.version);
    const subjects = tool && this.rulings.trustRequested(config, tenant_id, tool.contract);
    if (!subjects || subjects.size === 0) return undefined;
    for (const other of affected) {
      const record = other === call_id ? undefined : records.get(other);
      if (!record || recording.as_recorded.has(other)) continue;
      const subject = this.sharedSubject(subjects, call, record.requested.event, config);
      if (!subject) continue;
      const isSame = movedBy(calls.get(other)) === movedBy(this.recorded.at(record, now_ms));
      if (!isSame || this.world.isUnknown(other))
        return {
          what: 'ruling',
          why: `its rules use the trust score of its ${subject}, which another call would have changed`,
          call_id: other,
        };
    }
    return undefined;
  }

  private sharedSubject(
    subjects: ReadonlySet<TrustSubject>,
    call: ToolCall,
    { call: other, meta: { tenant_id } }: EventMap['tool_call_requested'],
    config: ConfigurationState,
  ): TrustSubject | undefined {
    const providerOf = ({ tool, version }: ToolCall) => catalogued(config, tenant_id, tool, version)?.contract.provider ?? null;
    const isShared: Record<TrustSubject, () => boolean> = {
      tool: () => other.tool === call.tool,
      provider: () => providerOf(other) === providerOf(call),
      agent: () => other.principal.id === call.principal.id,
    };
    return [...subjects].find((subject) => isShared[subject]());
  }
}
