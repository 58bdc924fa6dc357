import { type Compensates, type Reconciled, type RunContext, ToolError, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';
import type { Action, ErpRecord, Hermes, Kind, Values } from '../hermes/port.js';
import { afterWrite, conflict } from '../hermes/refusal.js';
import { attemptOf, hermesOf } from './connection.js';
import { reconciled } from './lost-answers.js';
import { recordOf } from './reads.js';

/** Answer of a tool that moves a record to a state. */
export type Moved<Id extends string> = Record<Id, string> & { status: string; changed: boolean; external_url: string };

export const movedShape = <Id extends string>(id: Id) =>
  z.strictObject({
    ...({ [id]: z.string() } as Record<Id, z.ZodString>),
    status: z.string(),
    changed: z.boolean().describe('False: the record was in this state already, and nothing was written.'),
    external_url: z.string(),
  });

/** One move of a record. */
export interface Move {
  action: Action;
  /** States that show that the move happened. */
  reached: readonly string[];
  /** The state that the agent saw; absent: any that the system accepts. */
  from?: string;
  by_hand: string;
}

const answerOf = <Id extends string>(id: Id, { id: value, status, external_url }: ErpRecord, changed = true) =>
  ({ [id]: value, status, changed, external_url }) as Moved<Id>;

/** Moves a record and reads it back: an ERP may answer a move as done that it did not make. */
async function moved(erp: Hermes, kind: Kind, before: ErpRecord, { action, reached, by_hand }: Move, ctx: RunContext): Promise<ErpRecord> {
  await erp.act(kind, before.id, action, attemptOf(ctx));
  const after = await erp.read(kind, before.id).catch(afterWrite);
  if (after && reached.includes(after.status)) return after;
  const why = `the system answered ${action} of ${before.id} as done, and it is ${after?.status ?? 'not readable'}. By hand: ${by_hand}`;
  if (after?.status === before.status) throw conflict('changed_nothing', why, { id: before.id, status: after.status, by_hand });
  throw new ToolError('PROVIDER_ERROR', why, { details: { reason: 'other_state', id: before.id } });
}

/** `run`, `reconcile`, `verify` and `changedNothing` of a tool that moves the record named by an input. `moveOf` reads the move from the inputs. */
export function moves<Id extends string>(kind: Kind, id: Id, moveOf: (input: Values) => Move) {
  return {
    run: async (input: Values, ctx: RunContext): Promise<Moved<Id>> => {
      const move = moveOf(input);
      const erp = await hermesOf(ctx);
      const before = await recordOf(erp, kind, id, String(input[id]));
      if (move.reached.includes(before.status)) return answerOf(id, before, false);
      if (move.from !== undefined && before.status !== move.from)
        throw conflict('other_state', `${before.id} is ${before.status}, not ${move.from}: read it again`, { status: before.status });
      return answerOf(id, await moved(erp, kind, before, move, ctx));
    },
    reconcile: async (input: Values, ctx: RunContext): Promise<Reconciled<Moved<Id>>> =>
      reconciled(await hermesOf(ctx, 'first'), kind, ctx, {
        output: (record) => answerOf(id, record),
        shows: ({ status }) => moveOf(input).reached.includes(status),
      }),
    verify: async (input: Values, _output: Moved<Id>, ctx: RunContext): Promise<Verified> => {
      const record = await (await hermesOf(ctx)).read(kind, String(input[id]));
      if (record && moveOf(input).reached.includes(record.status)) return { kind: 'verified' };
      return { kind: 'contradicted', why: `${String(input[id])} is ${record?.status ?? 'not there'}` };
    },
    changedNothing: ({ changed }: Moved<Id>): boolean => !changed,
  };
}

/** `compensate` of such a tool: moves the record back, if it still is where the run left it. `backOf` reads the way back from the inputs. */
export function movesBack<Id extends string>(kind: Kind, id: Id, backOf: (input: Values) => Move | undefined) {
  return async ({ inputs, output }: Compensates<Values, Moved<Id>>, ctx: RunContext): Promise<unknown> => {
    const back = backOf(inputs);
    if (!back) throw conflict('no_way_back', `the system has no way back from ${output.status}`);
    const erp = await hermesOf(ctx);
    const now = await recordOf(erp, kind, id, output[id]);
    if (now.status !== output.status) throw conflict('changed_since', `${now.id} is ${now.status} now, not ${output.status}`);
    return answerOf(id, await moved(erp, kind, now, back, ctx));
  };
}
