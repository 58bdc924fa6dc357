import { z } from 'zod';
import { everywhere, timeOf } from '../answers/shared-schemas.js';
import { pageOfItems } from '../lists/page-query.js';
import { limitRequest } from './limit-request.js';

const { kind, scope } = limitRequest.shape;
const RESERVED = /^(?!default\.|context\.)[\w.-]{1,100}$/;

/** The name of a limit that a tenant sets. */
export const newLimitId = z
  .string()
  .regex(RESERVED, 'a limit_id has 1 to 100 letters, digits, ".", "_" and "-" and does not start with "default." or "context."');

/** Response for one version of a limit. */
export const limitAnswer = z
  .object({
    limit_id: z.string(),
    version: z.int().min(0).describe('starts at 1, without gaps; 0: an unchanged default'),
    removed: z.boolean(),
    kind,
    scope,
    subjects: z.array(z.string()),
    tools: z.array(z.string()),
    max: z.number().nullable(),
    window_ms: z.int().nullable(),
    amount: z.string().nullable(),
    per: z.string().nullable(),
    allowed: z.array(z.string()),
    side_effects: z.enum(['none', 'reads', 'writes']).nullable(),
    on_exceeded: z.enum(['deny', 'defer']),
    defer_timeout_ms: z.int().nullable(),
    default: z.boolean(),
    by: z.string().nullable().describe('the principal that set it; null: a default'),
    changed_at: timeOf.nullable(),
  })
  .meta({ id: 'Limit' });

export const limitPage = pageOfItems(limitAnswer.extend({ etag: z.string() }).meta({ id: 'LimitInForce' })).meta({ id: 'LimitPage' });
export const limitVersionPage = pageOfItems(limitAnswer).meta({ id: 'LimitVersionPage' });
export const changedLimit = limitAnswer.extend(everywhere).meta({ id: 'ChangedLimit' });

const counter = z
  .object({
    subject: z.string().describe('the run, case, agent, tenant, tool or capability whose calls are counted'),
    per: z.string().describe('the value of the expression `per`; empty without `per`'),
    used: z.number(),
    max: z.number().nullable(),
    window_ms: z.int().nullable(),
  })
  .meta({ id: 'LimitCounter' });

export const limitUsagePage = pageOfItems(counter).meta({ id: 'LimitUsagePage' });

export type LimitAnswer = z.infer<typeof limitAnswer>;
export type LimitCounter = z.infer<typeof counter>;
