import { z } from 'zod';
import { everywhere, timeOf } from '../answers/shared-schemas.js';
import { toolVersionRecord } from './tool-record.schema.js';

export const lifecycleRequest = z.strictObject({
  state: z.enum(['active', 'deprecated', 'blocked']),
  sunset_at: z.iso.datetime({ offset: true }).optional().describe('end date of a deprecated version; it is blocked from then on'),
  reason: z.string().min(1).max(1000).optional(),
  use_instead: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,128}@\d+\.\d+\.\d+[0-9A-Za-z.+-]{0,64}$/, 'is name@version')
    .optional(),
});

export const pinRequest = z.strictObject({
  pin: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is 64 hex digits')
    .describe('`pin` of the currently registered version'),
});

export const auditRequest = z.strictObject({
  audit_status: z.enum(['unaudited', 'self_assessed', 'third_party']),
  auditor: z.string().min(1).max(300).optional().describe('name of the auditor'),
  report: z.string().min(1).max(1000).optional().describe('URL or digest of the report'),
});

/** The output format of `npm run tools:verify`. */
export const evaluationRequest = z.strictObject({
  tool: z.string().min(1).max(128),
  version: z.string().min(1).max(64),
  contract_digest: z.string().regex(/^[0-9a-f]{64}$/, 'is 64 hex digits'),
  passed: z.int().min(0),
  failed: z.int().min(0),
  cases: z.array(z.strictObject({ title: z.string().max(500), passed: z.boolean(), message: z.string().max(5000).optional() })).max(2000),
  verified_at: z.iso.datetime({ offset: true }),
});

export const changedLifecycle = z
  .object({
    name: z.string(),
    version: z.string(),
    state: z.enum(['active', 'deprecated', 'blocked']),
    sunset_at: z.string().nullable(),
    reason: z.string().nullable(),
    use_instead: z.string().nullable(),
    changed_at: timeOf,
    ...everywhere,
  })
  .meta({ id: 'ChangedLifecycle' });

export const pinnedVersion = toolVersionRecord.extend(everywhere).meta({ id: 'PinnedToolVersion' });

export type LifecycleRequest = z.infer<typeof lifecycleRequest>;
export type PinRequest = z.infer<typeof pinRequest>;
export type AuditRequest = z.infer<typeof auditRequest>;
export type EvaluationRequest = z.infer<typeof evaluationRequest>;
export type ChangedLifecycle = z.infer<typeof changedLifecycle>;
