import { defineTool, type Reconciled, type RunContext, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';
import { hermesOf } from '../erp/connection.js';
import { writeTimes } from '../erp/creates.js';
import { reconciled } from '../erp/lost-answers.js';
import { ACTIONS, type Kind } from '../hermes/port.js';
import { erpId, short } from '../hermes/shapes.js';
import { answerOf, write } from './novel-write.js';

const WRITABLE = [
  'customer',
  'product',
  'production_order',
  'purchase_order',
  'sales_order',
  'stock',
  'supplier',
] as const satisfies Kind[];

const input = z.strictObject({
  operation: z.enum(['create', 'update', 'act', 'apply_proposal']),
  kind: z.enum(WRITABLE).describe('What is written; of a proposal the kind that it is about.'),
  id: erpId.optional().describe('The record; absent with create. With apply_proposal the proposal.'),
  action: z.enum(ACTIONS).optional().describe('With act.'),
  fields: z
    .record(z.string().regex(/^[a-z][a-z0-9_]{0,39}$/), z.union([z.string().max(500), z.number(), z.boolean()]))
    .meta({ maxProperties: 50 })
    .optional()
    .describe('With create and update.'),
  reason: short(500),
});

export type NovelWrite = z.output<typeof input>;

const found = async ({ kind }: NovelWrite, ctx: RunContext): Promise<Reconciled<ReturnType<typeof answerOf>>> =>
  reconciled(await hermesOf(ctx, 'first'), kind, ctx, { output: (record) => answerOf(kind, record) });

/**
 * The way for operations that have no tool yet. A person approves each use, whatever a policy allows to others; the report of its uses names
 * those that deserve a tool of their own.
 */
export const proposeWrite = defineTool({
  name: 'propose_write',
  version: '1.0.0',
  title: 'Propose a write',
  description: 'Proposes an operation that has no tool of its own, or applies a staged proposal. A person always decides.',
  summary: '{/operation} {/kind} {/id}: {/reason}',
  category: 'write',
  capabilities: ['asks.always'],
  effect_class: 'commit_high',
  reversibility: 'irreversible',
  idempotency: { discriminating: ['operation', 'kind', 'id', 'action', 'fields'] },
  // It can name no resource: the kind is an input. Each tool reads its own effect back before it gives an earlier answer.
  ...writeTimes,
  input,
  output: z.strictObject({ kind: z.string(), record_id: z.string(), status: z.string(), external_url: z.string() }),
  run: async (asked, ctx) => answerOf(asked.kind, await write(asked, ctx)),
  reconcile: found,
  verify: async (asked, _output, ctx): Promise<Verified> => {
    const { kind } = await (await hermesOf(ctx, 'first')).readBack(asked.kind, ctx.idempotency_key);
    if (kind === 'present') return { kind: 'verified' };
    const why = 'the system shows no trace of the write';
    return kind === 'absent' ? { kind: 'contradicted', why } : { kind: 'cannot_tell', why };
  },
});
