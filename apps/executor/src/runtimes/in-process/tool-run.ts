import type { Attachment, Principal } from '@countersign/contracts';
import { type RunContext, type SecretSource, type ToolAttachment, type ToolBlob, ToolError } from '@countersign/tool-kit';
import type { Job } from '../../running/job.js';
import { AttachedBlobs } from './attached-blobs.js';
import type { RunSurroundings } from './run-surroundings.js';

/** No secret store is connected to this runtime. */
const noSecrets: SecretSource = {
  get: async (name) => {
    throw new ToolError('AUTH_REQUIRED', `no value is known for the secret ${JSON.stringify(name)}`, { effect: 'none' });
  },
};

/** One run of a tool: the context that the tool sees, and the means to abort it. The signal is made when it is asked for. */
export class ToolRun implements RunContext {
  private controller: AbortController | undefined;
  private aborted: string | undefined;
  private told_at_ms = 0;
  private attached: AttachedBlobs | undefined;
  readonly secrets = noSecrets;

  constructor(
    private readonly job: Job,
    readonly settings: Readonly<Record<string, string>>,
    readonly deadline_ms: number,
    private readonly around: RunSurroundings,
  ) {}

  get tenant_id(): string {
    return this.job.tenant_id;
  }
  get principal(): Pick<Principal, 'kind' | 'id'> {
    return this.job.call.principal;
  }
  get call_id(): string {
    return this.job.call_id;
  }
  get case_id(): string | null {
    return this.job.call.case_id;
  }
  get run_id(): string | null {
    return this.job.call.run_id;
  }
  get idempotency_key(): string {
    return this.job.key;
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.aborted !== undefined) this.controller.abort(new Error(this.aborted));
    }
    return this.controller.signal;
  }

  abort(reason: string): void {
    if (this.aborted !== undefined) return;
    this.aborted = reason;
    this.controller?.abort(new Error(reason));
  }

  log(message: string, fields: Record<string, unknown> = {}): void {
    this.around.logger.info({ call_id: this.call_id, tool: this.job.call.tool, ...fields }, message);
  }

  progress(fraction: number, message = ''): void {
    if (this.aborted === undefined) this.told_at_ms = this.around.progress.tell(this.job, this.told_at_ms, fraction, message);
  }

  async attach(blob: ToolBlob): Promise<ToolAttachment> {
    this.attached ??= new AttachedBlobs(this.around.blobs, this.tenant_id);
    return this.attached.add(blob);
  }

  /** What it attached so far; undefined: nothing. */
  get attachments(): Attachment[] | undefined {
    return this.attached?.list;
  }
}
