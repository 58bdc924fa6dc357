import type { CallStatus } from '@countersign/domain';

/** True where an answer may be given: the call ended, or nobody can tell whether it did. */
export function isAnswer(status: CallStatus): boolean {
  switch (status) {
    case 'pending_policy':
    case 'pending_approval':
    case 'running':
      return false;
    default:
      return true;
  }
}
