import { type ApprovalRequirement, GRANT_MAX_MS } from '@countersign/contracts';
import { DAY_MS, foldedSubject, subjectOf } from '@countersign/domain';
import { z } from 'zod';

const SECOND_MS = 1000;
const GROUPS_MAX = 10;

const names = z.array(z.string().min(1).max(200)).max(100);
const wait_ms = z
  .int()
  .min(SECOND_MS)
  .max(90 * DAY_MS);

/** Number of distinct voters among the named people: one person under two names, or of two issuers, votes once. */
const peopleCount = (people: readonly string[]): number => new Set(people.map((name) => foldedSubject(subjectOf(name)))).size;
const TOO_FEW = {
  path: ['quorum'],
  message: 'the group names fewer people than its quorum: name more people, add approver_roles, or lower the quorum',
};

const group = z
  .strictObject({
    approver_roles: names.default([]),
    people: names.default([]),
    quorum: z.int().min(1).max(20).default(1),
    expires_after_ms: wait_ms,
  })
  .refine(({ approver_roles, people }) => approver_roles.length + people.length > 0, 'a group needs approver_roles or people')
  .refine(({ approver_roles, people, quorum }) => approver_roles.length > 0 || peopleCount(people) >= quorum, TOO_FEW);

/** The approval requirement of a policy as written, with defaults for absent members. Parses to `ApprovalRequirement`. */
export const approvalRequirement = z
  .strictObject({
    approver_roles: names.optional(),
    people: names.default([]),
    quorum: z.int().min(1).max(20).default(1),
    four_eyes: z.boolean().default(true),
    expires_after_ms: wait_ms.default(DAY_MS),
    on_expiry: z.enum(['deny', 'escalate']).default('deny'),
    escalate_to: z.array(group).max(GROUPS_MAX).default([]),
    reason_required_on_deny: z.boolean().default(false),
    reminders_ms: z.array(wait_ms).max(10).default([]),
    sla_ms: wait_ms.nullable().default(null),
    grant_max_ms: z
      .int()
      .min(0)
      .max(30 * DAY_MS)
      .default(GRANT_MAX_MS)
      .describe('maximum duration of a grant for similar calls; 0: no grants'),
    distinct: z.boolean().default(false).describe('true: people who meet this part of a request cannot meet another part'),
    saga_max_ms: z
      .int()
      .min(0)
      .max(30 * DAY_MS)
      .optional()
      .describe(
        'how long one approval of a whole saga may meet this part for the steps of the saga; absent or 0: every step asks by itself',
      ),
    saga_open_inputs: names
      .optional()
      .describe('inputs that approvers of a whole saga need not see, because they follow from earlier steps; requires `saga_max_ms`'),
  })
  .refine(
    ({ on_expiry, escalate_to }) => (on_expiry === 'escalate') === escalate_to.length > 0,
    '`escalate_to` is required with on_expiry `escalate` and not allowed with `deny`',
  )
  .refine(
    ({ approver_roles = [], people, quorum }) => approver_roles.length > 0 || people.length === 0 || peopleCount(people) >= quorum,
    TOO_FEW,
  )
  .refine(
    ({ approver_roles, people }) => approver_roles === undefined || approver_roles.length + people.length > 0,
    'send approver_roles or people',
  )
  .refine(({ saga_max_ms = 0, saga_open_inputs = [] }) => saga_max_ms > 0 || saga_open_inputs.length === 0, {
    path: ['saga_open_inputs'],
    message: '`saga_open_inputs` is allowed only with `saga_max_ms` above 0',
  })
  .transform(
    (written): ApprovalRequirement => ({
      ...written,
      approver_roles: written.approver_roles ?? (written.people.length > 0 ? [] : ['approver']),
    }),
  );

const named = { approver_roles: z.array(z.string()), people: z.array(z.string()), quorum: z.int(), expires_after_ms: z.number() };

/** The approval requirement in responses, with all defaults. */
export const requirementAnswer = z
  .object({
    ...named,
    four_eyes: z.boolean(),
    on_expiry: z.enum(['deny', 'escalate']),
    escalate_to: z.array(z.object(named)),
    reason_required_on_deny: z.boolean(),
    reminders_ms: z.array(z.number()),
    sla_ms: z.number().nullable(),
    grant_max_ms: z.number(),
    distinct: z.boolean(),
    saga_max_ms: z.number().optional(),
    saga_open_inputs: z.array(z.string()).optional(),
  })
  .meta({ id: 'ApprovalRequirement' });
