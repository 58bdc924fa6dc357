import type { Obligation } from '@countersign/contracts';
import { type AgainJudged, judgedAgain, lacksMappedForm, type TenantRulings, UNMAPPED } from '@countersign/decisions';
import { type ConfigurationState, catalogued } from '@countersign/domain';
import type { Authorised, Job } from '../calls/job.js';

const SILENCE_MAX_MS = 2000;

/** The configuration as this process folds it. */
export interface OwnConfiguration {
  readonly state: ConfigurationState;
  /** Next offset of configuration-changed. */
  position(topic: 'configuration-changed'): number;
  staleness_ms(topic: 'configuration-changed'): number;
}

const NOTHING: readonly Obligation[] = [];

/** Checks a call again at execution, under this executor's own position in configuration-changed. */
export class Judge {
  constructor(
    private readonly configuration: OwnConfiguration,
    private readonly rulings: TenantRulings,
    private readonly now_ms: () => number,
  ) {}

  /** Offset of the newest known configuration record, -1 if none. */
  get configOffset(): number {
    return this.configuration.state.config_offset;
  }

  /** Changes whenever the basis of decisions changes: the sum of two offsets that only grow. */
  get position(): number {
    return this.configuration.state.config_offset + this.configuration.state.catalog_offset;
  }

  /** True if nothing arrived from configuration-changed for 2 s: then no call may run. */
  get silent(): boolean {
    return this.configuration.staleness_ms('configuration-changed') > SILENCE_MAX_MS;
  }

  judge(authorised: Authorised): AgainJudged {
    const { state } = this.configuration;
    if (lacksMappedForm(state, authorised.meta.tenant_id, authorised.call)) return UNMAPPED;
    return judgedAgain(this.rulings, state, authorised, this.now_ms());
  }

  /** Checks a call and notes basis and time on it, so that the check is not repeated just before its run. */
  judgeNoted(job: Job, now_ms: number): AgainJudged {
    job.judged_position = this.position;
    job.judged_at_ms = now_ms;
    return this.judge(job.readable);
  }

  /** The obligations that hide parts of a call's result before it is written. */
  redactions({ call, meta, history_json }: Authorised): readonly Obligation[] {
    const { state } = this.configuration;
    const tool = catalogued(state, meta.tenant_id, call.tool, call.version);
    return tool ? this.rulings.redactions(state, { tenant_id: meta.tenant_id, tool, call, history_json }) : NOTHING;
  }
}
