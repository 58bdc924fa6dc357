import type { ApprovalRequirement, ApprovalPart as RecordedPart } from '@countersign/contracts';
import { groupOf } from './part.js';

/** A summary of a request over all its parts: all approvers, all approvals, the first expiry. */
export function summaryOf(parts: readonly RecordedPart[]): {
  approver_roles: string[];
  quorum: number;
  requested_at_ms: number;
  expires_at_ms: number;
  requirement: ApprovalRequirement;
} {
  const { requirement } = parts[0] as RecordedPart;
  return {
    approver_roles: [...new Set(parts.flatMap((part) => groupOf(part).approver_roles))],
    quorum: parts.reduce((sum, part) => sum + groupOf(part).quorum, 0),
    requested_at_ms: Math.min(...parts.map(({ requested_at_ms }) => requested_at_ms)),
    expires_at_ms: Math.min(...parts.map(({ expires_at_ms }) => expires_at_ms)),
    requirement,
  };
}
