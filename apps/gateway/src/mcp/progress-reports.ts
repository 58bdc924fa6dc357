import type { CallListener } from '@countersign/calls';
import { type CallState, type CallStatus, statusOf } from '@countersign/domain';
import type { Progress } from '@countersign/process';
import type { Notification, ProgressToken } from '@modelcontextprotocol/server';
import { META } from './meta-keys.js';

/** Sends one notification about the request of a client. */
export type Notify = (notification: Notification) => Promise<void>;

/** Tools may report more often than a client can read. */
const EVERY_MS = 100;
/** `progress` must grow with each notification, also when only the status changes. */
const STATUS_STEP = 0.001;

const unnamed: Readonly<Partial<Record<CallStatus, string>>> = { pending_policy: 'policy defers the call', running: 'the call runs' };

function messageOf(state: CallState, status: CallStatus): string | undefined {
  if (status !== 'pending_approval') return unnamed[status];
  if (!state.approval) return undefined;
  const { approver_roles, expires_at_ms } = state.approval;
  return `the call waits for an approval by ${approver_roles.join(', ') || 'an approver'} until ${new Date(expires_at_ms).toISOString()}`;
}

/** Passes the progress of one call to the client that asked for it. Nothing is reported that is not on the record. */
export class ProgressReports implements CallListener {
  private progress = 0;
  private shown = '';
  private reported_ms = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly notify: Notify,
    private readonly token: ProgressToken,
    private readonly call_id: string,
    private readonly monotonic_ms: () => number,
  ) {}

  changed(state: CallState): void {
    const message = state.ruling ? messageOf(state, statusOf(state)) : undefined;
    if (message === undefined || message === this.shown) return;
    this.shown = message;
    this.send(this.progress + STATUS_STEP, message);
  }

  progressed({ fraction, message }: Progress): void {
    const now_ms = this.monotonic_ms();
    if (fraction <= this.progress || now_ms - this.reported_ms < EVERY_MS) return;
    this.reported_ms = now_ms;
    this.send(fraction, message);
  }

  private send(progress: number, message: string): void {
    this.progress = progress;
    const params = { progressToken: this.token, progress, total: 1, message, _meta: { [META.call_id]: this.call_id } };
    // A client that has left gets no progress.
    this.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }
}
