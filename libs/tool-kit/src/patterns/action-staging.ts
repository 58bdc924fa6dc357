import { z } from 'zod';
import { defineTool } from '../define-tool.js';
import type { Tool } from '../tool.js';
import type { PatternTraits } from './evidence.js';
import type { KeyedRecords } from './keyed-records.js';
import { keyedWrites } from './keyed-writes.js';

/** A staged action: nothing has happened in the target system. */
export interface StagedAction {
  action_id: string;
  state: 'staged';
  kind: string;
  target_system: string;
  target_ref: string | null;
  payload: unknown;
  idempotency_key: string;
  /** The call that staged it; its decision and history are on the log under this id. */
  authoring_call_id: string;
  case_id: string | null;
  staged_by: { kind: string; id: string };
  staged_at: string;
}

export interface ActionStaging<P extends z.ZodType> extends PatternTraits {
  kinds: readonly [string, ...string[]];
  target_systems: readonly [string, ...string[]];
  payload: P;
  actions: KeyedRecords<StagedAction>;
}

/** Pattern 6: stores a typed intent as a staged action. The same key returns the existing action; a second one is never created. */
export function defineActionStaging<P extends z.ZodType>(definition: ActionStaging<P>): Tool {
  const { kinds, target_systems, payload, actions, ...traits } = definition;
  const fields = {
    kind: z.enum(kinds as [string, ...string[]]),
    target_system: z.enum(target_systems as [string, ...string[]]),
    payload: payload as z.ZodType,
  };
  return defineTool({
    ...traits,
    pattern: 'action_staging',
    effect_class: 'stage',
    takes_key: true,
    idempotency: { discriminating: ['kind', 'target_system', 'target_ref', 'payload'] },
    resources: [{ name: 'staged_action:{/target_system}/{/kind}/{/target_ref}', effect: 'adds' }],
    input: z.strictObject({ ...fields, target_ref: z.string().min(1).max(300).optional() }),
    output: z.strictObject({
      action_id: z.string(),
      state: z.literal('staged'),
      ...fields,
      target_ref: z.string().nullable(),
      idempotency_key: z.string(),
      authoring_call_id: z.string(),
      case_id: z.string().nullable(),
      staged_by: z.strictObject({ kind: z.string(), id: z.string() }),
      staged_at: z.iso.datetime(),
    }),
    run: async ({ kind, target_system, target_ref, payload: carried }, ctx) =>
      actions.add(
        {
          action_id: `act_${ctx.idempotency_key}`,
          state: 'staged',
          kind,
          target_system,
          target_ref: target_ref ?? null,
          payload: carried ?? null,
          idempotency_key: ctx.idempotency_key,
          authoring_call_id: ctx.call_id,
          case_id: ctx.case_id,
          staged_by: { kind: ctx.principal.kind, id: ctx.principal.id },
          staged_at: new Date().toISOString(),
        },
        ctx,
      ),
    ...keyedWrites(actions),
  });
}
