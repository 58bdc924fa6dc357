import type { Outcome } from '@countersign/contracts';
import type { Job } from '../calls/job.js';
import type { EffectLook } from '../tool-runs/finishing.js';
import type { ToolRuns } from '../tool-runs/tool-runs.js';

const AT_ONCE_MAX = 16;

/** Lets tools check whether an earlier effect still exists: one check at a time for each attempt of a key, a few checks concurrently. */
export class EffectChecks {
  private readonly pending = new Map<string, Promise<EffectLook>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly runtime: Pick<ToolRuns, 'seesEffect'>) {}

  /** Never rejects. */
  look(job: Job, outcome: Outcome): Promise<EffectLook> {
    const about = `${job.key}/${job.attempt}`;
    const known = this.pending.get(about);
    if (known) return known;
    const asking = this.ask(job, outcome).finally(() => this.pending.delete(about));
    this.pending.set(about, asking);
    return asking;
  }

  private async ask(job: Job, outcome: Outcome): Promise<EffectLook> {
    if (outcome.output_json === null || outcome.truncated || job.call.sealed !== null) return { seen: 'not_asked' };
    if (this.running >= AT_ONCE_MAX) await new Promise<void>((free) => this.waiting.push(free));
    this.running++;
    try {
      return await this.runtime.seesEffect(job, JSON.parse(outcome.output_json));
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}
