import { z } from 'zod';

const EXPRESSION_MAX = 2_000;
const LONGEST_MS = 24 * 3_600_000;

const names = (max: number, length: number) => z.array(z.string().min(1).max(length)).max(max);
const effect = z.enum(['replaces', 'adds']);

/** A resource of a write, as a template over its inputs. */
export const overlayResource = z.strictObject({
  name: z.string().min(1).max(500).describe('a template over the inputs: `invoice:{/invoice_id}`'),
  effect: z.union([effect, z.strictObject({ by: z.string().max(200), values: z.record(z.string().max(200), effect), otherwise: effect })]),
});

/** The inputs of another call: `{"from": "/inputs/path"}`, `{"from": "/output/id"}`, `{"from": "/attempt_key"}` or `{"literal": …}`. */
export const overlayBinding = z
  .union([
    z.strictObject({
      from: z
        .string()
        .regex(/^\/(inputs|output)(\/|$)|^\/attempt_key$/, 'begins with /inputs, /output or /attempt_key')
        .max(500),
    }),
    z.strictObject({ literal: z.unknown() }),
  ])
  .meta({ id: 'OverlayBinding' });

const bindings = z
  .record(z.string().min(1).max(200), overlayBinding)
  .describe(
    'inputs of the named tool: JSON Pointers (`from`) below /inputs, below /output for a compensation, or /attempt_key; else a literal',
  );

/** Asks a read tool whether an effect exists. */
export const overlayReconcile = z
  .strictObject({
    tool: z.string().min(1).max(300).describe('a read tool of the same upstream, by the name that the upstream has for it'),
    inputs: bindings,
    matches: z
      .string()
      .min(1)
      .max(EXPRESSION_MAX)
      .describe(
        'CEL over `inputs` (of the write), `attempt_key` and `output` (of the read); true: the effect happened. Names an input or the key',
      ),
    is_complete: z
      .boolean()
      .default(false)
      .describe('true: the read shows every effect, so that no match means that it did not happen; needs settle_ms and settle_is_final'),
  })
  .meta({ id: 'OverlayReconcile' });

/** Undoes an effect by a call of another tool. */
export const overlayCompensation = z
  .strictObject({
    tool: z.string().min(1).max(300).describe('a tool of the same upstream, by the name that the upstream has for it'),
    inputs: bindings,
  })
  .meta({ id: 'OverlayCompensation' });

/** What an operator declares of a tool that comes from outside, beside what its owner says of it. */
export const toolOverlay = z.strictObject({
  effect_class: z.enum(['pure', 'read_internal', 'read_external', 'stage', 'commit_low', 'commit_high']),
  reversibility: z.enum(['reversible', 'semantic', 'side_effects', 'irreversible']).optional(),
  summary: z.string().min(1).max(200).optional().describe('what a call does, for approvers: `Pay {/amount} to {/supplier}`'),
  discriminating: names(100, 200).min(1).optional().describe('the inputs that identify the effect of a write; default: all'),
  window_ms: z
    .int()
    .min(1)
    .max(366 * 86_400_000)
    .optional(),
  resources: z.array(overlayResource).min(1).max(16).optional(),
  reconcile: overlayReconcile.optional(),
  compensation: overlayCompensation.optional(),
  undo_within_ms: z.int().min(1).optional(),
  timeout_ms: z.int().min(1).max(300_000).optional(),
  settle_ms: z.int().min(1).max(LONGEST_MS).optional().describe('earliest time of a reconcile after the fire'),
  settle_is_final: z.boolean().optional().describe('true: an effect that has not happened by settle_ms never will'),
  max_output_bytes: z
    .int()
    .min(1)
    .max(4 * 1024 * 1024)
    .optional(),
  tier: z.enum(['tier_0_safe', 'tier_1_auto', 'tier_2_approval_required']).optional(),
  markings: names(50, 100).optional(),
  scopes: names(50, 100).optional(),
  purposes: names(50, 64).optional(),
});

export type ToolOverlay = z.infer<typeof toolOverlay>;
export type OverlayReconcile = z.infer<typeof overlayReconcile>;
export type OverlayCompensation = z.infer<typeof overlayCompensation>;
