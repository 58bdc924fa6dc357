import type { ApprovalMode } from '@countersign/contracts';
import { z } from 'zod';

const mode = z.enum(['read_only', 'network', 'local_write', 'delegated', 'destructive'] as const satisfies readonly ApprovalMode[]);

/** Body of `POST /v1/calls/{call_id}/approval-mode`. */
export const modeRequest = z
  .strictObject({
    approval_mode: mode.describe('what the call turned out to be; the effective one takes a correction back'),
    reason: z.string().min(1).max(2000).optional(),
  })
  .meta({ id: 'ApprovalModeRequest' });

export const modeCorrection = z
  .object({
    call_id: z.string(),
    mode_effective: mode.describe('that the call was ruled by'),
    mode_observed: mode.nullable().describe('by what the call did; null: it cannot be told'),
    mode_corrected: mode,
    misclassified: z.boolean(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'ApprovalModeCorrection' });

export type ModeRequest = z.infer<typeof modeRequest>;
export type ModeCorrection = z.infer<typeof modeCorrection>;
