import { z } from 'zod';

/** Maximum of calls of one undo. */
export const CALLS_MAX = 200;

const laterEffect = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    principal: z.object({ kind: z.string(), id: z.string() }).nullable(),
    at: z.iso.datetime().nullable(),
    status: z.string(),
    selected: z.boolean().describe('true: it is part of the same undo'),
  })
  .meta({ id: 'LaterEffect' });

export const undoItem = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    version: z.string(),
    case_id: z.string().nullable(),
    status: z.string(),
    happened_at: z.iso.datetime().nullable(),
    undoable: z.boolean(),
    reason: z.string().nullable().describe('why it cannot be undone'),
    detail: z.string().nullable().describe('description of the reason'),
    how: z.string().nullable().describe('what the undo does, as declared by the tool'),
    undo_until: z.iso.datetime().nullable().describe('null: the tool declares no time limit'),
    changed_since: z.array(laterEffect).describe('later effects on the same resources by any caller; at most 500'),
    approval: z
      .object({ required: z.boolean(), rule: z.string(), approver_roles: z.array(z.string()), quorum: z.int() })
      .nullable()
      .describe('who has to approve the undo; null: it cannot be undone'),
  })
  .meta({ id: 'UndoItem' });

export const undoPreview = z
  .object({
    items: z.array(undoItem).describe('in undo order: the newest effect first'),
    blocked_by: z.array(z.string()).describe('later effects that are not part of the undo and block it'),
    preview_digest: z.string().describe('send this with the undo'),
  })
  .meta({ id: 'UndoPreview' });

const reason = z.string().min(1).max(2000).optional().describe('reason for the undo');
const preview_digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .describe('digest of the preview; the undo is refused if it would now differ');

export const undoRequest = z.strictObject({ preview_digest, reason }).meta({ id: 'UndoRequest' });

export const undoSelection = z
  .strictObject({
    call_ids: z.array(z.string().min(1).max(200)).min(1).max(CALLS_MAX),
    preview: z.boolean().default(false).describe('true: only preview the undo'),
    preview_digest: preview_digest.optional().describe('required without `preview`'),
    reason,
  })
  .refine(({ preview, preview_digest: digest }) => preview || digest !== undefined, 'preview_digest is required without preview')
  .meta({ id: 'UndoSelection' });

export const undoAnswer = z
  .object({
    saga_id: z
      .string()
      .nullable()
      .describe(
        'the saga that undoes several calls and goes on after this answer: read it at `/v1/sagas/{saga_id}`; null: one call is undone',
      ),
    items: z.array(
      z.object({
        call_id: z.string(),
        undo_call_id: z.string().nullable().describe('the undo call; null: none was made'),
        status: z.string().nullable().describe('status of the undo call'),
        undone: z.boolean(),
        confirmed: z
          .boolean()
          .nullable()
          .describe('true: the tool verified that the effect is undone; false: the tool could not verify it; null: not verified'),
        reason: z.string().nullable().describe('why it is not undone yet'),
        detail: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'UndoAnswer' });

/** Response of `POST /v1/calls:undo`: with `preview` a preview. */
export const undoSelectionAnswer = z.union([undoAnswer, undoPreview]).meta({ id: 'UndoSelectionAnswer' });

export type UndoItem = z.output<typeof undoItem>;
export type UndoPreview = z.output<typeof undoPreview>;
export type UndoRequest = z.output<typeof undoRequest>;
export type UndoSelection = z.output<typeof undoSelection>;
export type UndoAnswer = z.output<typeof undoAnswer>;
export type UndoneItem = UndoAnswer['items'][number];
