import type { ApprovalMode } from '@countersign/contracts';
import { z } from 'zod';

const modes = ['read_only', 'network', 'local_write', 'delegated', 'destructive'] as const satisfies readonly ApprovalMode[];
const mode = z.enum(modes);

/** Body of `POST /v1/calls/{call_id}/approval-mode`. */
export const modeRequest = z.strictObject({
  approval_mode: mode.describe('what the call turned out to be; the effective one takes a correction back'),
  reason: z.string().min(1).max(2000).optional(),
});

export type ModeRequest = z.infer<typeof modeRequest>;

export const correctedMode = z
  .object({
    call_id: z.string(),
    mode_effective: mode.describe('by which the call was ruled on'),
    mode_observed: mode.nullable().describe('what its effect showed; null: no more than the effective one'),
    mode_corrected: mode,
    misclassified: z.boolean(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'CorrectedApprovalMode' });

export type CorrectedMode = z.infer<typeof correctedMode>;
