import { type Attachment, attemptKey, type Principal } from '@countersign/contracts';
import type { Masker } from '@countersign/outbound';
import { messageOf } from '@countersign/runtimes';
import { type RunContext, type SecretSource, type ToolAttachment, type ToolBlob, ToolError } from '@countersign/tool-kit';
import type { PatternSearch } from '@countersign/tool-kit/pattern-search/pattern-search';
import type { TenantFolders } from '@countersign/tool-kit/tenant-folders/tenant-folders';
import type { Job } from '../calls/job.js';
import { AttachedBlobs } from './attached-blobs.js';
import type { RunSurroundings } from './run-surroundings.js';

/** For a tool that declares no secrets. */
const noSecrets: SecretSource = {
  get: async (name) => {
    throw new ToolError('AUTH_REQUIRED', `the tool did not declare the secret ${JSON.stringify(name)}`);
  },
};

/** Settings and folders that the operator gives to all runs of a tool. */
interface Granted {
  readonly settings: Readonly<Record<string, string>>;
  readonly folders: ReadonlyMap<string, TenantFolders>;
}

/** One run of a tool: the context that the tool sees, and the means to abort it. The signal is created on first use. */
export class ToolRun implements RunContext {
  private controller: AbortController | undefined;
  private aborted: string | undefined;
  private reported_at_ms = 0;
  private attached: AttachedBlobs | undefined;

  constructor(
    private readonly job: Job,
    private readonly granted: Granted,
    readonly deadline_ms: number,
    private readonly around: RunSurroundings,
    /** Key of the effect that it checks; absent: the key of its call's attempt. */
    private readonly effect_key?: string,
  ) {}

  get tenant_id(): string {
    return this.job.tenant_id;
  }
  get principal(): Pick<Principal, 'kind' | 'id'> {
    return this.job.call.principal;
  }
  get clearances(): readonly string[] {
    return this.job.call.authority?.clearances ?? [];
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
    return this.effect_key ?? attemptKey(this.job.key, this.job.attempt);
  }

  get fired_at_ms(): number | undefined {
    return this.job.fired_at_ms || this.job.started_at_ms || undefined;
  }

  get requested(): unknown {
    const { mapping, inputs, inputs_json } = this.job;
    return mapping && (inputs ?? (JSON.parse(inputs_json) as unknown));
  }

  get settings(): Readonly<Record<string, string>> {
    return this.granted.settings;
  }

  async tenantFolder(variable: string): Promise<string> {
    return this.foldersIn(variable).of(this.job.tenant_id, this.job.started_at_ms);
  }

  async commonFolder(variable: string): Promise<string> {
    return this.foldersIn(variable).common();
  }

  get secrets(): SecretSource {
    return this.job.credentials ?? noSecrets;
  }

  get patterns(): PatternSearch {
    return this.around.patterns;
  }

  /** True after an abort. */
  get stopped(): boolean {
    return this.aborted !== undefined;
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
    // Data in a log could not be erased for a subject.
    const text = this.job.call.sealed ? { message: 'a log line that may contain personal data', fields: {} } : { message, fields };
    const masked = this.job.credentials?.masker.record(text) ?? text;
    this.around.logger.info({ event: 'tool_log', call_id: this.call_id, tool: this.job.call.tool, ...masked.fields }, masked.message);
  }

  progress(fraction: number, message = ''): void {
    if (this.aborted !== undefined) return;
    const text = this.job.credentials?.masker.text(message) ?? message;
    this.reported_at_ms = this.around.progress.tell(this.job, this.reported_at_ms, fraction, text);
  }

  attach(blob: ToolBlob): Promise<ToolAttachment> {
    const attachment = this.attachMasked(blob);
    // Without this handler, a tool that does not await the promise would end the process with an unhandled rejection.
    attachment.catch((cause) =>
      this.around.logger.warn(
        { event: 'attachment_not_stored', call_id: this.call_id, cause: messageOf(cause) },
        'an attachment could not be stored',
      ),
    );
    return attachment;
  }

  private foldersIn(variable: string): TenantFolders {
    const folders = this.granted.folders.get(variable);
    if (folders) return folders;
    throw new ToolError('PROVIDER_ERROR', `the pack of this tool has no folder setting ${JSON.stringify(variable)}`, { effect: 'none' });
  }

  private async attachMasked(blob: ToolBlob): Promise<ToolAttachment> {
    this.attached ??= new AttachedBlobs(this.around.blobs, this.job);
    const { credentials } = this.job;
    return this.attached.add(credentials ? maskedBlob(blob, credentials.masker) : blob);
  }

  /** Its attachments so far; undefined: none. */
  get attachments(): Attachment[] | undefined {
    return this.attached?.list;
  }
}

function maskedBlob(blob: ToolBlob, masker: Masker): ToolBlob {
  const { data, content_type } = blob;
  return { ...blob, data: typeof data === 'string' ? masker.text(data) : masker.bytes(data), content_type: masker.text(content_type) };
}
