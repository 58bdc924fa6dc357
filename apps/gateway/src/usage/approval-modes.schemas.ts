import type { ApprovalMode } from '@countersign/contracts';
import { z } from 'zod';

const modes = ['read_only', 'network', 'local_write', 'delegated', 'destructive'] as const satisfies readonly ApprovalMode[];
const mode = z.enum(modes);

/** Body of `POST /v1/calls/{call_id}/approval-mode`. */
export const modeRequest = z.strictObject({
  approval_mode: mode.describe('the correct mode; the effective mode removes an earlier correction'),
  reason: z.string().min(1).max(2000).optional(),
});

export type ModeRequest = z.infer<typeof modeRequest>;

export const correctedMode = z
  .object({
    call_id: z.string(),
    mode_effective: mode.describe('the mode that the decision used'),
    mode_observed: mode.nullable().describe('the mode that its effect showed; null: not beyond the effective mode'),
    mode_corrected: mode,
    misclassified: z.boolean(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'CorrectedApprovalMode' });

export type CorrectedMode = z.infer<typeof correctedMode>;
