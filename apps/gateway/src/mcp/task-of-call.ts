import { type CallState, type CallStatus, newestFactMs, statusOf } from '@countersign/domain';
import type { CallToolResult } from '@modelcontextprotocol/server';

/** Once a call waits for people, there is no sense in asking each second. */
const POLL_RUNNING_MS = 1_000;
const POLL_WAITING_MS = 5_000;

/** A task without its result, as `tools/call` answers it. Its id is the id of the call. */
export interface Task {
  taskId: string;
  status: 'working' | 'completed' | 'cancelled';
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** Null: the record of a call is not dropped. */
  ttlMs: null;
  pollIntervalMs: number;
}

/** A task as `tasks/get` answers it. */
export type DetailedTask = Task & { result?: CallToolResult };

/** The members of an envelope that the message of a task is made of. */
export interface TaskEnvelope {
  requested_at: string | null;
  approval: { approval_id: string; approver_roles: readonly string[]; quorum: number | null; expires_at: string | null } | null;
  decision: { defer?: { timeout_at: string | null } } | null;
  error: { code: string; message: string } | null;
}

type Approval = NonNullable<TaskEnvelope['approval']>;

function askedOf({ approver_roles, quorum, expires_at, approval_id }: Approval, is_joined: boolean): string {
  const until = expires_at === null ? '' : ` until ${expires_at}`;
  if (is_joined) return `Waits for the approval of an equal call (${approval_id})`;
  // The request for the approval follows its ruling on another topic.
  if (quorum === null) return `Waits for an approval (${approval_id})`;
  const who = approver_roles.length > 0 ? `people with the role ${approver_roles.join(' or ')}` : 'the people named by the rule';
  const votes = quorum === 1 ? 'the approval' : `${quorum} approvals`;
  return `Waits for ${votes} of ${who}${until} (${approval_id})`;
}

/** What the task waits for, or how it ended. */
function message(state: CallState, status: CallStatus, { approval, decision, error }: TaskEnvelope): string {
  switch (status) {
    case 'pending_approval':
      return approval ? askedOf(approval, state.ruling?.joined_call_id != null) : 'Waits for an approval';
    case 'pending_policy':
      return decision?.defer
        ? `Deferred by policy until ${decision.defer.timeout_at ?? 'its condition holds'}`
        : 'Waits for the decision of policy';
    case 'running':
      return 'Runs';
    default:
      return error ? `${status}: ${error.code}` : status;
  }
}

/** Denied, expired, failed and in doubt are results, which have an error: only a cancelled call is a cancelled task. */
function taskStatus(status: CallStatus): Task['status'] {
  switch (status) {
    case 'pending_policy':
    case 'pending_approval':
    case 'running':
      return 'working';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'completed';
  }
}

/** The task of a call. People who must vote are no input of the client: such a task is `working`. */
export function taskOf(state: CallState, envelope: TaskEnvelope): Task {
  const status = statusOf(state);
  const updated_ms = newestFactMs(state);
  return {
    taskId: state.call_id,
    status: taskStatus(status),
    statusMessage: message(state, status, envelope),
    createdAt: envelope.requested_at ?? new Date(updated_ms).toISOString(),
    lastUpdatedAt: new Date(updated_ms).toISOString(),
    ttlMs: null,
    pollIntervalMs: status === 'running' ? POLL_RUNNING_MS : POLL_WAITING_MS,
  };
}
