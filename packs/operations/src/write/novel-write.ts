import type { RunContext } from '@countersign/tool-kit';
import { attemptOf, hermesOf, proposalsOf } from '../erp/connection.js';
import { recordOf } from '../erp/reads.js';
import type { Action, ErpRecord, Hermes, Kind, Values } from '../hermes/port.js';
import { conflict, refused } from '../hermes/refusal.js';

/** The inputs that each operation needs. */
const NEEDS = { create: ['fields'], update: ['id', 'fields'], act: ['id', 'action'], apply_proposal: ['id'] } as const;

export interface Operation {
  operation: keyof typeof NEEDS;
  kind: Kind;
  id?: string | undefined;
  action?: Action | undefined;
  fields?: Values | undefined;
}

export const answerOf = (kind: Kind, { id, status, external_url }: ErpRecord) => ({ kind, record_id: id, status, external_url });

/** Writes what a person approved. @throws ToolError that names the input which the operation lacks */
export async function write(asked: Operation, ctx: RunContext): Promise<ErpRecord> {
  const missing = NEEDS[asked.operation].find((name) => asked[name] === undefined);
  if (missing) throw refused(`/${missing}`, 'required', `is needed to ${asked.operation}`);
  const erp = await hermesOf(ctx);
  const { operation, kind, id = '', action, fields = {} } = asked;
  switch (operation) {
    case 'create':
      return erp.create(kind, fields, attemptOf(ctx));
    case 'apply_proposal':
      return applied(erp, kind, id, ctx);
    case 'update':
      return erp.update(kind, (await recordOf(erp, kind, 'id', id)).id, fields, attemptOf(ctx));
    case 'act':
      return erp.act(kind, (await recordOf(erp, kind, 'id', id)).id, action as Action, attemptOf(ctx));
  }
}

/** Writes a staged change, and notes at the proposal that it is applied. */
async function applied(erp: Hermes, kind: Kind, id: string, ctx: RunContext): Promise<ErpRecord> {
  const proposals = await proposalsOf(ctx);
  const { status, fields } = await recordOf(proposals, 'proposal', 'id', id);
  if (fields.kind !== kind) throw refused('/kind', 'other_kind', `of ${id} is ${String(fields.kind)}`);
  if (status !== 'proposed') throw conflict('not_proposed', `${id} is ${status}`, { status });
  const record = await erp.update(kind, String(fields.target), fields.changes as Values, attemptOf(ctx));
  await proposals.act('proposal', id, 'done', attemptOf(ctx));
  return record;
}
