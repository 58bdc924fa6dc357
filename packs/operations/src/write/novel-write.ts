import type { RunContext, ToolError } from '@countersign/tool-kit';
import { attemptOf, hermesOf, proposalsOf } from '../erp/connection.js';
import { recordOf } from '../erp/reads.js';
import type { Action, ErpRecord, Hermes, Kind, Values } from '../hermes/port.js';
import { afterWrite, conflict, refused } from '../hermes/refusal.js';

const NOTED_MS = 5_000;

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

/** Writes a staged change. It is claimed before and released if nothing happened: a change whose answer is lost is not applied again. */
async function applied(erp: Hermes, kind: Kind, id: string, ctx: RunContext): Promise<ErpRecord> {
  const proposals = await proposalsOf(ctx);
  const { target, changes } = await claimed(proposals, kind, id, ctx);
  const record = await erp.update(kind, String(target), changes as Values, attemptOf(ctx)).catch(async (error: ToolError) => {
    if (error.more?.effect === 'none') await proposals.act('proposal', id, 'draft', releasing(ctx));
    throw error;
  });
  await proposals.act('proposal', id, 'done', releasing(ctx)).catch(afterWrite);
  return record;
}

/** The fields of a proposal that this call alone applies. A later attempt of the same call finds its claim. */
async function claimed(proposals: Hermes, kind: Kind, id: string, ctx: RunContext): Promise<Values> {
  const { status, fields } = await recordOf(proposals, 'proposal', 'id', id);
  if (fields.kind !== kind) throw refused('/kind', 'other_kind', `of ${id} is ${String(fields.kind)}`);
  if (status === 'applying' && fields.applied_by === ctx.call_id) return fields;
  if (status !== 'proposed') throw conflict('not_proposed', `${id} is ${status}${by(fields)}`, { status });
  await proposals.act('proposal', id, 'process', attemptOf(ctx));
  await proposals.update('proposal', id, { applied_by: ctx.call_id }, attemptOf(ctx));
  return fields;
}

const by = ({ applied_by }: Values): string => (applied_by === undefined ? '' : ` by the call ${String(applied_by)}`);

/** What is noted at a proposal is noted also where the call was given up meanwhile. */
const releasing = (ctx: RunContext) => ({ ...attemptOf(ctx), signal: AbortSignal.timeout(NOTED_MS), deadline_ms: Date.now() + NOTED_MS });
