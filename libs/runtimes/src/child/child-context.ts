import type { RunContext, SecretSource, ToolAttachment, ToolBlob } from '@countersign/tool-kit';
import type { PatternSearch } from '@countersign/tool-kit/pattern-search/pattern-search';
import type { ContextQuestion, SentContext } from './protocol.js';

const PROGRESS_PAUSE_MS = 50;

/** The connection of a context to the executor. */
export interface ExecutorLine {
  question(id: number, wanted: ContextQuestion): Promise<unknown>;
  log(id: number, message: string, fields: Record<string, unknown>): void;
  progress(id: number, fraction: number, message: string): void;
}

/** The context of a tool in a child: it has the data of its run and requests the rest from the executor on use. */
export class ChildContext implements RunContext {
  private readonly controller = new AbortController();
  private reported_at_ms = 0;

  constructor(
    private readonly id: number,
    private readonly sent: SentContext,
    readonly patterns: PatternSearch,
    private readonly line: ExecutorLine,
  ) {}

  get tenant_id(): string {
    return this.sent.tenant_id;
  }
  get principal(): RunContext['principal'] {
    return this.sent.principal;
  }
  get clearances(): readonly string[] {
    return this.sent.clearances;
  }
  get call_id(): string {
    return this.sent.call_id;
  }
  get case_id(): string | null {
    return this.sent.case_id;
  }
  get run_id(): string | null {
    return this.sent.run_id;
  }
  get idempotency_key(): string {
    return this.sent.idempotency_key;
  }
  get deadline_ms(): number {
    return this.sent.deadline_ms;
  }
  get fired_at_ms(): number | undefined {
    return this.sent.fired_at_ms;
  }
  get requested(): unknown {
    return this.sent.requested;
  }
  get settings(): Readonly<Record<string, string>> {
    return this.sent.settings;
  }
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: string): void {
    this.controller.abort(new Error(reason));
  }

  readonly secrets: SecretSource = { get: (name) => this.line.question(this.id, { of: 'secret', name }) as Promise<string> };

  tenantFolder(variable: string): Promise<string> {
    return this.line.question(this.id, { of: 'tenant_folder', variable }) as Promise<string>;
  }

  commonFolder(variable: string): Promise<string> {
    return this.line.question(this.id, { of: 'common_folder', variable }) as Promise<string>;
  }

  log(message: string, fields: Record<string, unknown> = {}): void {
    this.line.log(this.id, message, fields);
  }

  progress(fraction: number, message = ''): void {
    const now_ms = performance.now();
    if (fraction < 1 && this.reported_at_ms !== 0 && now_ms - this.reported_at_ms < PROGRESS_PAUSE_MS) return;
    this.reported_at_ms = now_ms;
    this.line.progress(this.id, fraction, message);
  }

  attach({ kind, content_type, data }: ToolBlob): Promise<ToolAttachment> {
    const bytes = typeof data === 'string' ? { text: data } : { base64: Buffer.from(data).toString('base64') };
    const kept = this.line.question(this.id, { of: 'attach', kind, content_type, ...bytes }) as Promise<ToolAttachment>;
    // A tool that does not await it must not end the shared process by an unhandled rejection.
    kept.catch(() => undefined);
    return kept;
  }
}
