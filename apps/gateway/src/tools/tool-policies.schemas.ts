import { DAY_MS } from '@countersign/domain';
import { z } from 'zod';
import { everywhere, timeOf } from '../answers/shared-schemas.js';
import { roles } from '../authentication/authenticator.js';
import { pageOfItems } from '../lists/page-query.js';
import { approvalRequirement, requirementAnswer } from '../requests/approval-requirement.js';

const tier = z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required', 'tier_3_blocked']);

export const toolPolicyRequest = z.strictObject({
  tier,
  rule_id: z.string().min(1).max(200).optional(),
  approver_roles: z.array(z.enum(roles)).min(1).max(roles.length).default(['approver']),
  quorum: z.int().min(1).max(20).default(1),
  expires_after_ms: z
    .int()
    .min(1000)
    .max(90 * DAY_MS)
    .optional()
    .describe('how long a call waits for an approval'),
  requirement: approvalRequirement.optional().describe('instead of approver_roles, quorum and expires_after_ms'),
});

export const toolPolicy = z
  .object({
    tool: z.string().describe('`*`: the default for tools without a row'),
    tier: tier.nullable(),
    rule_id: z.string(),
    approver_roles: z.array(z.string()),
    quorum: z.int(),
    expires_after_ms: z.number().nullable(),
    requirement: requirementAnswer.nullable(),
    changed_at: timeOf,
  })
  .meta({ id: 'ToolPolicy' });

export const toolPolicyPage = pageOfItems(toolPolicy.extend({ etag: z.string() }).meta({ id: 'ToolPolicyInForce' })).meta({
  id: 'ToolPolicyPage',
});

export const changedToolPolicy = toolPolicy
  .extend({ ...everywhere, warnings: z.array(z.object({ path: z.string(), code: z.string(), message: z.string() })) })
  .meta({ id: 'ChangedToolPolicy' });

export type ToolPolicyRequest = z.infer<typeof toolPolicyRequest>;
export type ToolPolicyAnswer = z.infer<typeof toolPolicy>;
export type ChangedToolPolicy = z.infer<typeof changedToolPolicy>;
