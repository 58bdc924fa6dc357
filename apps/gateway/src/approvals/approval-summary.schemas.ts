import { z } from 'zod';
import { timeOf } from '../answers/shared-schemas.js';

const waiting = {
  pending: z.int().min(0).describe('number of pending requests'),
  oldest_pending_at: timeOf.nullable().describe('time of the oldest pending request; null: none is pending'),
};

const group = z
  .object({
    tier: z.string().nullable().describe('tier of the tool call; null: not recorded'),
    approver_roles: z.array(z.string()).describe('roles of the first group of approvers; empty: the approvers are named people'),
    ...waiting,
  })
  .meta({ id: 'PendingApprovals' });

/** `GET /v1/approvals/summary`. */
export const approvalSummary = z
  .object({
    ...waiting,
    truncated: z.boolean().describe('true: the count stopped at 10000 requests; more may be pending'),
    groups: z.array(group).describe('grouped by tier and roles, the oldest request first'),
  })
  .meta({ id: 'ApprovalSummary' });

export type ApprovalSummary = z.infer<typeof approvalSummary>;
