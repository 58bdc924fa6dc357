import { type Compensates, type Reconciled, type RunContext, ToolError, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';
import type { Turn } from '../hermes/pace.js';
import type { ErpRecord, Hermes, Kind, Values } from '../hermes/port.js';
import { afterWrite, conflict } from '../hermes/refusal.js';
import { attemptOf, hermesOf } from './connection.js';
import { reconciled } from './lost-answers.js';

/** Answer of a tool that creates: the id under the name that agents know, and the page of the record. */
export type Created<Id extends string> = Record<Id, string> & { external_url: string };

/** A tool that creates one record. */
export interface Creation<Id extends string> {
  id: Id;
  /** Checks the inputs as the agent wrote them. @throws ToolError before anything is sent */
  check?(asked: Values): void;
  /** What a person must do if the system does not cancel the record. */
  by_hand: string;
  /** Whether the record is what the tool creates: a system that announces an attempt first may have the mark alone. Absent: the mark is the proof. */
  shows?(record: ErpRecord): boolean;
  /** Where the records are; absent: in the business system. */
  system?(ctx: RunContext, turn?: Turn): Promise<Hermes>;
}

export const createdShape = <Id extends string>(id: Id) =>
  z.strictObject({ [id]: z.string(), external_url: z.string() } as Record<Id | 'external_url', z.ZodString>);

/**
 * Times of every write. It is sent within 20 s or not at all. 40 s later nothing can still happen: no proxy may hold a request that long,
 * the ledger writes nothing after the deadline, and the database of an ERP ends statements after 10 s (a connector that cannot tell that
 * says `absence_is_final: false`).
 */
export const writeTimes = { timeout_ms: 20_000, settle_ms: 60_000, settle_is_final: true } as const;

/** `run`, `reconcile` and `verify` of a tool that creates one record of a kind. */
export function creates<Id extends string>(kind: Kind, { id, check, shows = () => true, system = hermesOf }: Creation<Id>) {
  const answer = (record: ErpRecord) => ({ [id]: record.id, external_url: record.external_url }) as Created<Id>;
  return {
    run: async (values: Values, ctx: RunContext): Promise<Created<Id>> => {
      check?.((ctx.requested ?? values) as Values);
      const erp = await system(ctx);
      const before = await erp.readBack(kind, ctx.idempotency_key);
      return answer(before.kind === 'present' && shows(before.record) ? before.record : await erp.create(kind, values, attemptOf(ctx)));
    },
    reconcile: async (_values: Values, ctx: RunContext): Promise<Reconciled<Created<Id>>> =>
      reconciled(await system(ctx, 'first'), kind, ctx, { output: answer, shows }),
    verify: async (_values: Values, output: Created<Id>, ctx: RunContext): Promise<Verified> =>
      stands(await system(ctx), kind, { id: output[id], shows }, ctx),
  };
}

/** `compensate` of a tool that creates: cancels the record, and reads back whether it is cancelled. */
export function cancels<Id extends string>(kind: Kind, { id, by_hand, system = hermesOf }: Creation<Id>) {
  return async ({ output }: Compensates<unknown, Created<Id>>, ctx: RunContext): Promise<unknown> => {
    const erp = await system(ctx);
    const record = await erp.read(kind, output[id]);
    if (record?.status === 'cancelled') return { [id]: record.id, status: record.status };
    await erp.act(kind, output[id], 'cancel', attemptOf(ctx)).catch((error: ToolError) => {
      throw error.more?.class === 'semantic' ? stillThere(output[id], error.message, by_hand) : error;
    });
    const after = await erp.read(kind, output[id]).catch(afterWrite);
    if (after?.status === 'cancelled') return { [id]: after.id, status: after.status };
    throw stillThere(output[id], `the system answered the cancel as done, and the record is ${after?.status ?? 'not readable'}`, by_hand);
  };
}

function stillThere(id: string, why: string, by_hand: string): ToolError {
  return conflict('still_there', `${id} stands: ${why}. By hand: ${by_hand}`, { id, by_hand });
}

/** A record stands until it is cancelled. That somebody edited the mark out of its reference is recorded, and changes nothing. */
async function stands(
  erp: Hermes,
  kind: Kind,
  { id, shows }: { id: string; shows(record: ErpRecord): boolean },
  ctx: RunContext,
): Promise<Verified> {
  const traced = await erp.readBack(kind, ctx.idempotency_key);
  const record = traced.kind === 'present' ? traced.record : await erp.read(kind, id);
  if (!record) return { kind: 'contradicted', why: `${id} does not exist` };
  if (!shows(record)) return { kind: 'contradicted', why: `${id} is ${record.status}` };
  if (record.status === 'cancelled') return { kind: 'contradicted', why: `${id} is cancelled` };
  if (traced.kind !== 'absent') return { kind: 'verified' };
  ctx.log('the reference of a record was edited', { event: 'reference_edited', kind, id });
  return { kind: 'verified', remark: `reference_edited: ${kind} ${id} stands, and its reference has the mark of this call no longer` };
}
