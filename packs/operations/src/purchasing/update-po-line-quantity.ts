import { type Compensates, defineTool, type Reconciled, type RunContext, type Verified } from '@countersign/tool-kit';
import { z } from 'zod';
import { attemptOf, hermesOf } from '../erp/connection.js';
import { writeTimes } from '../erp/creates.js';
import { reconciled } from '../erp/lost-answers.js';
import { recordOf } from '../erp/reads.js';
import type { ErpRecord } from '../hermes/port.js';
import { conflict, refused } from '../hermes/refusal.js';
import { erpId, line_no, quantity } from '../hermes/shapes.js';
import { PO } from './purchase-order.js';

const input = z.strictObject({ po_id: erpId, line: line_no, from_quantity: quantity, quantity });
type Input = z.output<typeof input>;

const KIND = 'purchase_order';

const answerOf = ({ id, external_url }: ErpRecord, { line, quantity }: Pick<Input, 'line' | 'quantity'>) => ({
  po_id: id,
  line,
  quantity,
  external_url,
});

const quantityIn = ({ line_quantities }: ErpRecord, line: number): number | undefined => line_quantities?.[line - 1];

async function setQuantity({ po_id, line, from_quantity, quantity }: Input, ctx: RunContext): Promise<ErpRecord> {
  const erp = await hermesOf(ctx);
  const before = await recordOf(erp, KIND, PO, po_id);
  const now = quantityIn(before, line);
  if (now === undefined) throw refused('/line', 'not_found', `${line} does not exist in ${po_id}`);
  if (now !== from_quantity) throw conflict('other_quantity', `line ${line} has ${now}, not ${from_quantity}: read the order again`);
  const after = await erp.update(KIND, po_id, { line, quantity }, attemptOf(ctx));
  if (quantityIn(after, line) === quantity) return after;
  throw conflict('changed_nothing', `the system answered the update as done, and line ${line} has ${quantityIn(after, line)}`);
}

/** Changes the quantity of a line of a drafted order, if it still is what the agent saw. */
export const updatePoLineQuantity = defineTool({
  name: 'update_po_line_quantity',
  version: '1.0.0',
  title: 'Change the quantity of an order line',
  description: 'Changes the quantity of one line of a drafted purchase order, if it still has from_quantity.',
  summary: 'Change line {/line} of {/po_id} from {/from_quantity} to {/quantity}',
  category: 'purchasing',
  effect_class: 'commit_high',
  reversibility: 'reversible',
  idempotency: { discriminating: ['po_id', 'line', 'from_quantity', 'quantity'] },
  resources: [{ name: 'purchase_order:{/po_id}/line/{/line}', effect: 'replaces' }],
  ...writeTimes,
  input,
  output: z.strictObject({ po_id: z.string(), line: line_no, quantity, external_url: z.string() }),
  run: async (asked, ctx) => answerOf(await setQuantity(asked, ctx), asked),
  reconcile: async (asked, ctx): Promise<Reconciled<ReturnType<typeof answerOf>>> =>
    reconciled(await hermesOf(ctx, 'first'), KIND, ctx, {
      output: (record) => answerOf(record, asked),
      shows: (record) => quantityIn(record, asked.line) === asked.quantity,
    }),
  verify: async ({ po_id, line, quantity }, _output, ctx): Promise<Verified> => {
    const record = await (await hermesOf(ctx)).read(KIND, po_id);
    const now = record && quantityIn(record, line);
    return now === quantity ? { kind: 'verified' } : { kind: 'contradicted', why: `line ${line} of ${po_id} has ${now ?? 'no quantity'}` };
  },
  compensate: async ({ inputs }: Compensates<Input>, ctx) => {
    const back = { ...inputs, from_quantity: inputs.quantity, quantity: inputs.from_quantity };
    return answerOf(await setQuantity(back, ctx), back);
  },
});
