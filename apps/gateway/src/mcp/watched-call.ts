import { type Calls, Refusal, type Stoppable } from '@countersign/calls';
import type { Logger } from '@countersign/process';
import { type ClientRequest, type GivenUp, givenUpBy } from './client-request.js';
import { ProgressReports } from './progress-reports.js';

/** Closing a stream may be an accident: it never stops a write. */
const STOPS: Readonly<Record<GivenUp, Stoppable>> = { stream_closed: 'reads', cancelled: 'reads_and_unfired_writes' };
const REASONS: Readonly<Record<GivenUp, string>> = {
  stream_closed: 'the client closed the stream of its request',
  cancelled: 'the client cancelled its request',
};

/** A call while its client waits for it: reports its progress, and stops it if the client gives up and nothing has happened yet. */
export class WatchedCall {
  private readonly onAbort = () => this.givenUp();
  private unobserve: (() => void) | undefined;

  constructor(
    private readonly calls: Pick<Calls, 'abandon' | 'observe'>,
    private readonly request: ClientRequest,
    private readonly call_id: string,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  begin(): void {
    const { signal, progress, caller } = this.request;
    if (signal.aborted) {
      this.givenUp();
      return;
    }
    signal.addEventListener('abort', this.onAbort, { once: true });
    if (!progress) return;
    const reports = new ProgressReports(progress.notify, progress.token, this.call_id, () => performance.now());
    this.unobserve = this.calls.observe({ caller, call_id: this.call_id }, reports);
  }

  /** The request was answered, or its client has left. */
  end(): void {
    this.request.signal.removeEventListener('abort', this.onAbort);
    this.unobserve?.();
    this.unobserve = undefined;
  }

  private givenUp(): void {
    const { caller, signal } = this.request;
    const how = givenUpBy(signal);
    this.end();
    const { call_id } = this;
    void this.calls.abandon({ caller, call_id }, REASONS[how], STOPS[how]).then(
      (stopped) => {
        if (stopped instanceof Refusal) this.logger.warn({ event: 'mcp_call_not_stopped', call_id, reason: stopped.kind });
      },
      (err) => this.logger.warn({ event: 'mcp_call_not_stopped', call_id, err }),
    );
  }
}
