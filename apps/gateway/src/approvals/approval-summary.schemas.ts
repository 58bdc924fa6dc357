import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

const waiting = {
  pending: z.int().min(0).describe('how many requests wait'),
  oldest_pending_at: timeOf.nullable().describe('since when the oldest of them waits; null: none waits'),
};

const group = z
  .object({
    tier: z.string().nullable().describe('of the tool call; null: it was not recorded'),
    approver_roles: z.array(z.string()).describe('the roles that were asked first; empty: people by name'),
    ...waiting,
  })
  .meta({ id: 'PendingApprovals' });

/** `GET /v1/approvals/summary`. */
export const approvalSummary = z
  .object({
    ...waiting,
    truncated: z.boolean().describe('10000 requests are counted, and more may wait'),
    groups: z.array(group).describe('by tier and roles, the longest-waiting first'),
  })
  .meta({ id: 'ApprovalSummary' });

export type ApprovalSummary = z.infer<typeof approvalSummary>;
