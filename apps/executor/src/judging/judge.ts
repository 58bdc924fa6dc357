import type { Obligation } from '@countersign/contracts';
import { type AgainJudged, judgedAgain, lacksMappedForm, type TenantRulings, UNMAPPED } from '@countersign/decisions';
import { type ConfigurationState, catalogued } from '@countersign/domain';
import type { Authorised, Job } from '../calls/job.js';

const SILENCE_MAX_MS = 2000;

/** The configuration as this process folds it for itself. */
export interface OwnConfiguration {
  readonly state: ConfigurationState;
  /** Next offset of configuration-changed. */
  position(topic: 'configuration-changed'): number;
  staleness_ms(topic: 'configuration-changed'): number;
}

const NOTHING: readonly Obligation[] = [];

/**
 * Judges a call again at execution by this executor's own position in configuration-changed.
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

  /** Another number whenever what a call is judged by has changed. Both offsets only grow. */
  get position(): number {
    return this.configuration.state.config_offset + this.configuration.state.catalog_offset;
  }

  /** It has not heard from configuration-changed for 2 s: nothing may fire. */
  get silent(): boolean {
    return this.configuration.staleness_ms('configuration-changed') > SILENCE_MAX_MS;
  }

  judge(authorised: Authorised): AgainJudged {
    const { state } = this.configuration;
    if (lacksMappedForm(state, authorised.meta.tenant_id, authorised.call)) return UNMAPPED;
    return judgedAgain(this.rulings, state, authorised, this.now_ms());
  }

  /** Judges a call and notes on it by what and when, so that it is not judged once more for nothing just before it fires. */
  judgeNoted(job: Job, now_ms: number): AgainJudged {
    job.judged_position = this.position;
    job.judged_at_ms = now_ms;
    return this.judge(job.readable);
  }

  /** What of the result of a call is hidden before anything of it is written. */
  redactions({ call, meta, history_json }: Authorised): readonly Obligation[] {
    const { state } = this.configuration;
    const tool = catalogued(state, call.tool, call.version);
    return tool ? this.rulings.redactions(state, { tenant_id: meta.tenant_id, tool, call, history_json }) : NOTHING;
  }
}
