import type { Outcome } from '@countersign/contracts';
import type { Job } from '../running/job.js';
import type { InProcessRuntime } from '../runtimes/in-process/in-process-runtime.js';

const AT_ONCE_MAX = 16;

/** Asks tools whether an earlier effect is still there: one question a key at a time, a few questions at once. */
export class EffectChecks {
  private readonly asked = new Map<string, Promise<boolean>>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly runtime: Pick<InProcessRuntime, 'isVerified'>) {}

  /** False where the tool sees another state, or cannot tell. Never rejects. */
  isThere(job: Job, outcome: Outcome): Promise<boolean> {
    const known = this.asked.get(job.key);
    if (known) return known;
    const asking = this.ask(job, outcome).finally(() => this.asked.delete(job.key));
    this.asked.set(job.key, asking);
    return asking;
  }

  private async ask(job: Job, outcome: Outcome): Promise<boolean> {
    if (outcome.output_json === null || outcome.truncated || job.call.sealed !== null) return false;
    if (this.running >= AT_ONCE_MAX) await new Promise<void>((free) => this.waiting.push(free));
    this.running++;
    try {
      return await this.runtime.isVerified(job, JSON.parse(outcome.output_json));
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}
