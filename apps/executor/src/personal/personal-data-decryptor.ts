import type { Outcome, ToolCall } from '@countersign/contracts';
import { type ConfigurationState, isErased } from '@countersign/domain';
import { type EventBatch, retried, retryPlans } from '@countersign/event-log';
import { type Logger, type OpenedCall, type Personal, rulesAbout } from '@countersign/process';
import { jobOf } from '../calls/authorised.js';
import type { Job } from '../calls/job.js';
import type { Seen } from '../tool-runs/recorded-result.js';

/** Decrypts encrypted calls in memory before they run, and has the keys ready for encrypting their results. */
export class PersonalDataDecryptor {
  /** The decrypted calls of a batch, until their jobs are created. */
  private readonly known = new WeakMap<ToolCall, OpenedCall | 'erased'>();

  constructor(
    private readonly personal: Personal | undefined,
    private readonly state: () => ConfigurationState,
    private readonly logger: Logger,
  ) {}

  /** Undefined if no call of the batch is encrypted. @throws InfrastructureFault if the keys are unavailable */
  prepare(batch: EventBatch): Promise<void> | undefined {
    const sealed = batch.events.filter((event) => 'call' in event.event && (event.event.call as ToolCall | null)?.sealed);
    if (sealed.length === 0) return undefined;
    const jobs = sealed.flatMap((event) => jobOf(event) ?? []);
    return Promise.all(jobs.map(async (job) => this.known.set(job.call, await this.open(job)))).then(() => undefined);
  }

  /** Attaches the prepared data to a job. */
  admit(job: Job): void {
    if (job.call.sealed) job.opened = this.known.get(job.call) ?? 'erased';
  }

  async open({ tenant_id, call }: Job): Promise<OpenedCall | 'erased'> {
    return (await this.personal?.open(tenant_id, call, this.rules(tenant_id, call))) ?? 'erased';
  }

  /** True if its data is erased, or an erasure is recorded: it does not run. */
  isErased({ opened, call, tenant_id }: Job): boolean {
    return opened === 'erased' || (call.sealed !== null && isErased(this.state(), tenant_id, call.sealed));
  }

  /** Loads the keys of the subjects that a result names. Without their keys their data is not stored. */
  async ready(job: Job, seen: Seen): Promise<void> {
    const { opened, tenant_id, call } = job;
    if (!opened || opened === 'erased' || seen.kind !== 'output') return;
    const output_json = seen.full_json ?? seen.output_json;
    const personal = this.personal as Personal;
    const onFault = (cause: Error): void =>
      this.logger.warn(
        { event: 'result_keys_unavailable', call_id: job.call_id, cause: String(cause) },
        'a result waits for the encryption keys of its data subjects',
      );
    const seal = await retried(
      retryPlans.result_keys,
      () => personal.sealOutput(tenant_id, opened, this.rules(tenant_id, call), output_json),
      { unref: true, onFault },
    ).catch(() => undefined);
    if (seal) job.opened = { ...opened, seal };
  }

  /** The part of an outcome that may be written, with personal data encrypted. */
  outcome(job: Job, outcome: Outcome): Outcome {
    const { opened } = job;
    return opened && opened !== 'erased' ? opened.seal.outcome(outcome) : outcome;
  }

  private rules(tenant_id: string, { tool, authority }: ToolCall) {
    return rulesAbout(this.state(), tenant_id, { tool, markings: authority?.markings ?? [] });
  }
}
